import { configFolder } from "../../base/node/own-program.js";
import { keepCompiledCode, packageFolders } from "../../base/node/compile-cache.js";
import { passedToHost } from "./host-use.js";
import { commonOptions } from "./options.js";
import { productVersion } from "../../base/node/product-version.js";
import type { Subcommand } from "./declaration.js";
import { subcommand, subcommandGroup } from "./subcommand.js";

/** Subcommands that run their chains in the current process. The host can run these chains instead. */
const inProcess = {
  run: forEditors("run", async () => (await import("./run.js")).run),
  "run-with": forEditors("run-with", async () => (await import("./run-with.js")).runWith),
  zed: forEditors("zed", async () => {
    const { run } = await import("./zed/run.js");
    return ([, ...words]) => run(words);
  }),
};

/** Runs a subcommand of {@link inProcess}, ignoring the `host` setting. */
const conductorOfHost: Subcommand = async ([name = "", ...words]) => {
  const load = Object.entries(inProcess).find(([known]) => known === name)?.[1];
  return load ? (await load())(words) : 2;
};

export const subcommands = subcommandGroup({
  name: "",
  about:
    "Connects an editor to a coding agent over the Agent Client Protocol, with extensions in between.\n\n" +
    "For a command's own options, run: symposium-acp-agent COMMAND --help",
  options: commonOptions,
  defaultMember: "run",
  members: {
    run: {
      about: "start the configured chain over stdio (default)",
      load: inProcess.run,
      elsewhere: (words) => passedToHost("run", words),
    },
    "run-with": {
      about: "start a given chain over stdio: --proxy X... --agent X",
      load: inProcess["run-with"],
      elsewhere: (words) => passedToHost("run-with", words),
    },
    chat: {
      about: "chat with the configured agent in this terminal",
      load: async () => (await import("./chat.js")).chat,
    },
    setup: {
      about: "choose an agent and write the configuration",
      load: async () => (await import("./setup.js")).setup,
    },
    doctor: {
      about: "check tools, configuration and agent, and suggest fixes",
      load: async () => (await import("./doctor.js")).doctor,
    },
    trust: {
      about: "let a folder's code run programs, such as cargo tools and language servers",
      load: async () => (await import("./trust.js")).trust,
    },
    hooks: {
      about: "import hooks, which run your commands at events of every agent's sessions",
      load: async () => (await import("./hooks.js")).hooks,
    },
    guard: {
      about: "manage your rules for agents, the sandbox and past decisions",
      load: async () => (await import("./guard.js")).guard,
    },
    context: {
      about: "show what an agent gets in addition to your prompts, and its size",
      load: async () => (await import("./context.js")).context,
    },
    sessions: {
      about: "list, search, continue, export and delete conversations",
      load: async () => (await import("./sessions.js")).sessions,
    },
    usage: {
      about: "show tokens, cost, test runs and builds per agent and day",
      load: async () => (await import("./usage.js")).usage,
    },
    host: {
      about: "manage the background process that keeps sessions running: start, stop, status, logs",
      load: async () => (await import("./host.js")).host,
    },
    "sign-in": {
      about: "sign in to the configured agent",
      load: async () => (await import("./sign-in.js")).signIn,
    },
    registry: {
      about: "list, install, update and remove agents and extensions",
      load: async () => (await import("./registry.js")).registry(),
    },
    recommendations: {
      about: "show the extensions recommended for this folder",
      load: async () => (await import("./recommendations.js")).recommendations,
    },
    zed: {
      about: "add Symposium to Zed, check it or remove it",
      load: forEditors("zed", async () => (await import("./zed.js")).zed),
    },
    "serve-openai": {
      about: "serve agents as models of an OpenAI-compatible endpoint",
      load: async () => (await import("./serve-openai.js")).serveOpenAi,
    },
    mcp: {
      about: "manage your MCP servers",
      load: forEditors("mcp", async () => (await import("./mcp.js")).mcp),
    },
    eliza: {
      about: "start Eliza, an agent that needs no model",
      load: async () => (await import("./eliza.js")).eliza,
    },
    extension: {
      about: "check an extension (for authors)",
      load: async () => (await import("./extension-check.js")).extension,
    },
    trace: {
      about: "convert a trace to an HTML page",
      load: async () => (await import("./trace.js")).trace,
    },
    vscodelm: {
      about: "serve agents as language models to VS Code (started by its extension)",
      load: forEditors("vscodelm", async () => (await import("./vscodelm.js")).vscodelm),
    },
    lsp: {
      about: "run a folder's language servers (started by sessions)",
      load: async () => (await import("./lsp.js")).lsp,
    },
    completion: {
      about: "print a completion script for your shell",
      load: async () => (await import("./completion.js")).completion(() => subcommands),
    },
    man: {
      about: "print the manual page",
      load: async () => (await import("./completion.js")).manual(() => subcommands),
    },
    version: {
      about: "print the version; so do -v and --version",
      load: () => Promise.resolve(version),
    },
    "in-process": {
      about: "run a chain for the host (started by the host)",
      load: () => Promise.resolve(conductorOfHost),
      isHidden: true,
    },
    "start-package": {
      about: "start a package's program in the intended folder (started by npx)",
      load: async () => (await import("./start-package.js")).startPackage,
      isHidden: true,
    },
    "sandbox-watch": {
      about: "watch files of sandboxes (started by Symposium)",
      load: async () => (await import("./sandbox-watch.js")).sandboxWatch,
      isHidden: true,
    },
    "mcp-shim": {
      about: "serve an MCP server of a chain over stdio (started by Symposium)",
      load: async () => (await import("./mcp-shim.js")).mcpShim,
      isHidden: true,
    },
  },
  epilogue: "Set SYMPOSIUM_CONFIG_DIR to use another folder for config.jsonc.",
});

const version = subcommand({
  name: "version",
  about: "Print the version.",
  run() {
    process.stdout.write(`symposium-acp-agent ${productVersion}\n`);
    return Promise.resolve(0);
  },
});

/** Caches compiled code for these subcommands, because a user in an editor waits for their start. */
function forEditors(name: string, load: () => Promise<Subcommand>): () => Promise<Subcommand> {
  return () => {
    keepCompiledCode([configFolder(), ...packageFolders(process.argv[1])], name);
    return load();
  };
}
