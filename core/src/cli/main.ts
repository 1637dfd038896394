#!/usr/bin/env node
import { homedir } from "node:os";
import { messageOf } from "../base/symposium-error.js";
import { configFolder } from "../node/config-folder.js";
import { keepCompiledCode } from "../node/kept-code.js";
import { helpText } from "./help.js";
import { productVersion } from "./product-version.js";
import { withSubcommandFirst } from "./subcommand-first.js";

/** A subcommand: takes the words after its name and resolves to the exit code. Loaded when it is asked for. */
type Subcommand = (words: readonly string[]) => Promise<number>;

const subcommands: Readonly<Record<string, () => Promise<Subcommand>>> = {
  run: async () => (await import("./run.js")).run,
  "run-with": async () => (await import("./run-with.js")).runWith,
  chat: async () => (await import("./chat.js")).chat,
  setup: async () => (await import("./setup.js")).setup,
  eliza: async () => (await import("./eliza.js")).eliza,
  trace: async () => (await import("./trace.js")).trace,
  registry: async () => (await import("./registry.js")).registry,
  doctor: async () => (await import("./doctor.js")).doctor,
  extension: async () => (await import("./extension.js")).extension,
  recommendations: async () => (await import("./recommendations.js")).recommendations,
  "sign-in": async () => (await import("./sign-in.js")).signIn,
  "serve-openai": async () => (await import("./serve-openai.js")).serveOpenAi,
  zed: async () => (await import("./zed.js")).zed,
  lsp: async () => (await import("./lsp.js")).lsp,
  mcp: async () => (await import("./mcp.js")).mcp,
  "mcp-shim": async () => (await import("./mcp-shim.js")).mcpShim,
  vscodelm: async () => (await import("./vscodelm.js")).vscodelm,
};

/** Those that somebody in an editor waits for. */
const startedByEditors: readonly string[] = ["run", "run-with", "zed", "mcp", "vscodelm"];

async function main(given: readonly string[]): Promise<number> {
  const words = withSubcommandFirst(given, (word) => Object.hasOwn(subcommands, word));
  const [first = "run", ...rest] = words;
  if (first === "--version" || first === "-V") return say(`symposium-acp-agent ${productVersion}`);
  if (first === "--help" || first === "-h" || first === "help") return say(helpText);
  // Options before any subcommand belong to the default one.
  const isOption = first.startsWith("-");
  const name = isOption ? "run" : first;
  const load = subcommands[name];
  if (startedByEditors.includes(name)) keepCompiledCode(configFolder(process.env, homedir()), name);
  if (load) return (await load())(isOption ? words : rest);
  process.stderr.write(
    `symposium-acp-agent: unknown subcommand "${first}". Run \`symposium-acp-agent --help\` for the list.\n`,
  );
  return 2;
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

// An editor runs us with its own program, told by this variable to be a Node: what we start must not take it for its own.
delete process.env["ELECTRON_RUN_AS_NODE"];

main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  (failure: unknown) => {
    process.stderr.write(`symposium-acp-agent: ${messageOf(failure)}\n`);
    process.exit(2);
  },
);
