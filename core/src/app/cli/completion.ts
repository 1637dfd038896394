import { invalidArguments } from "../../base/symposium-error.js";
import { commandTree } from "./completion/command-tree.js";
import { completionScripts } from "./completion/completion-scripts.js";
import { manualPage } from "./completion/manual-page.js";
import { say } from "./output.js";
import type { Subcommand } from "./declaration.js";
import { subcommand } from "./subcommand.js";

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
