import { invalidArguments } from "../../base/symposium-error.js";
import { allNodes, type CommandNode, commandTree } from "./completion/command-tree.js";
import { completionScripts } from "./completion/completion-scripts.js";
import { say } from "./output.js";
import type { Subcommand } from "./declaration.js";
import { subcommand } from "./subcommand.js";
import { productVersion } from "../../base/node/product-version.js";

export function completion(root: () => Subcommand): Subcommand {
  const shells = Object.keys(completionScripts).join(", ");
  return subcommand({
    name: "completion",
    about: "Print a script that completes commands and options. Its first line says where to put it.",
    arguments: { "<SHELL>": shells },
    async run({ positionals: [shell = ""] }) {
      const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
      if (!script) throw invalidArguments(`completion: Unknown shell "${shell}".`, `Known: ${shells}.`);
      return say(script(await commandTree(root())).trimEnd());
    },
  });
}

export function manual(root: () => Subcommand): Subcommand {
  return subcommand({
    name: "man",
    about:
      "Print the manual page: `symposium-acp-agent man > symposium-acp-agent.1`, then `man ./symposium-acp-agent.1`.",
    async run() {
      return say(manualPage(await commandTree(root())).trimEnd());
    },
  });
}

const program = "symposium-acp-agent";

/** Generates a section 1 manual page in man's markup (https://man.openbsd.org/man.7). */
export function manualPage(root: CommandNode): string {
  const [summary = "", ...description] = root.about.split("\n\n");
  return [
    `.TH SYMPOSIUM-ACP-AGENT 1 "" "symposium-acp-agent ${productVersion}" "Symposium"`,
    ".SH NAME",
    `${escaped(program)} \\- ${escaped(summary.replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    `.B ${escaped(program)}`,
    "[SUBCOMMAND] [OPTION...]",
    ".SH DESCRIPTION",
    ...[summary, ...description].flatMap((text) => [".PP", escaped(text)]),
    ".SH OPTIONS",
    ...optionLines(root),
    ".SH SUBCOMMANDS",
    ...allNodes(root).slice(1).filter(isDescribed).flatMap(commandLines),
    ".SH FILES",
    ".TP",
    ".I ~/.symposium/config.jsonc",
    "configuration file; SYMPOSIUM_CONFIG_DIR sets another folder",
    "",
  ].join("\n");
}

function isDescribed({ about }: CommandNode): boolean {
  return about !== "";
}

function commandLines(node: CommandNode): readonly string[] {
  const usage = [program, ...node.words, ...Object.keys(node.arguments)].join(" ");
  const given = Object.entries(node.arguments).flatMap(([name, about]) => [".TP", escaped(name), escaped(about)]);
  return [`.SS ${escaped(usage)}`, escaped(node.about), ...given, ...optionLines(node)];
}

function optionLines({ options }: CommandNode): readonly string[] {
  return Object.entries(options).flatMap(([name, { value, about }]) => [
    ".TP",
    `.B ${escaped(`--${name}${value === undefined ? "" : ` ${value}`}`)}`,
    escaped(about),
  ]);
}

function escaped(text: string): string {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("\n", " ");
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
