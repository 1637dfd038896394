import { configFolder } from "../../base/node/own-program.js";
import { keepCompiledCode, packageFolders } from "../../base/node/compile-cache.js";
import { passedToHost } from "./host-use.js";
import { commonOptions } from "./options.js";
import { productVersion } from "../../base/node/product-version.js";
import type { Subcommand } from "./declaration.js";
import { subcommand, subcommandGroup } from "./subcommand.js";

/** Chains that the host can keep, in the process that serves them. */
const inProcess = {
  run: forEditors("run", async () => (await import("./run.js")).run),
  "run-with": forEditors("run-with", async () => (await import("./run-with.js")).runWith),
  zed: forEditors("zed", async () => {
    const { run } = await import("./zed/run.js");
    return ([, ...words]) => run(words);
  }),
};

/** Starts one of {@link inProcess}, whatever the configuration says of the host. */
const conductorOfHost: Subcommand = async ([name = "", ...words]) => {
  const load = Object.entries(inProcess).find(([known]) => known === name)?.[1];
  return load ? (await load())(words) : 2;
};

/** Every subcommand: what the list of them says, and how it is loaded when it is asked for. */
export const subcommands = subcommandGroup({
  name: "",
  about:
    "Stands between an editor and a coding agent that speak the Agent Client Protocol, and chains proxies between " +
    "them.\n\nA subcommand's own options are in its help: symposium-acp-agent SUBCOMMAND --help.",
  options: commonOptions,
  defaultMember: "run",
  members: {
    run: {
      about: "the chain of ~/.symposium/config.jsonc over stdio; what is done without a subcommand",
      load: inProcess.run,
      elsewhere: (words) => passedToHost("run", words),
    },
    "run-with": {
      about: "an explicit chain over stdio: --proxy X... --agent X",
      load: inProcess["run-with"],
      elsewhere: (words) => passedToHost("run-with", words),
    },
    chat: {
      about: "talk to the configured agent in this terminal",
      load: async () => (await import("./chat.js")).chat,
    },
    setup: {
      about: "choose an agent in this terminal and write the configuration",
      load: async () => (await import("./setup.js")).setup,
    },
    doctor: {
      about: "check the tools, the configuration and the agent, with a remedy for each fault",
      load: async () => (await import("./doctor.js")).doctor,
    },
    trust: {
      about: "let the code of a folder run programs: cargo tools, language servers",
      load: async () => (await import("./trust.js")).trust,
    },
    guard: {
      about: "your rules for agents: what holds here, what would be decided, what was",
      load: async () => (await import("./guard.js")).guard,
    },
    context: {
      about: "what an agent gets in a folder besides your words, and what it costs",
      load: async () => (await import("./context.js")).context,
    },
    sessions: {
      about: "your conversations: list, show, search, continue with any agent, export, delete",
      load: async () => (await import("./sessions.js")).sessions,
    },
    usage: {
      about: "what agents came to, per agent and day: runs of tests and builds by our tools, and in the shell",
      load: async () => (await import("./usage.js")).usage,
    },
    host: {
      about: "the background process that keeps sessions: start, stop, status, logs",
      load: async () => (await import("./host.js")).host,
    },
    "sign-in": {
      about: "run the configured agent's own sign-in in this terminal",
      load: async () => (await import("./sign-in.js")).signIn,
    },
    registry: {
      about: "list, install, update and remove agents and extensions",
      load: async () => (await import("./registry.js")).registry(),
    },
    recommendations: {
      about: "the extensions recommended for this folder's workspace, and why",
      load: async () => (await import("./recommendations.js")).recommendations,
    },
    zed: {
      about: "this program as an agent of your Zed: install, uninstall, doctor",
      load: forEditors("zed", async () => (await import("./zed.js")).zed),
    },
    "serve-openai": {
      about: "agents as models of an OpenAI-compatible endpoint on 127.0.0.1",
      load: async () => (await import("./serve-openai.js")).serveOpenAi,
    },
    mcp: {
      about: "your MCP servers, and the tools of a built-in extension as one over stdio",
      load: forEditors("mcp", async () => (await import("./mcp.js")).mcp),
    },
    eliza: {
      about: "the embedded agent that needs no model",
      load: async () => (await import("./eliza.js")).eliza,
    },
    extension: {
      about: "for authors: check an extension",
      load: async () => (await import("./extension.js")).extension,
    },
    trace: {
      about: "turn a trace into one HTML page",
      load: async () => (await import("./trace.js")).trace,
    },
    vscodelm: {
      about: "agents as language models for the VS Code extension, which starts this",
      load: forEditors("vscodelm", async () => (await import("./vscodelm.js")).vscodelm),
    },
    lsp: {
      about: "the language servers of a folder, which its sessions start and share",
      load: async () => (await import("./lsp.js")).lsp,
    },
    completion: {
      about: "completes the words of this program in bash, zsh, fish and PowerShell",
      load: async () => (await import("./completion.js")).completion(() => subcommands),
    },
    man: {
      about: "this program's manual page, for man",
      load: async () => (await import("./completion.js")).manual(() => subcommands),
    },
    version: {
      about: "print the version; so do -v and --version",
      load: () => Promise.resolve(version),
    },
    "in-process": {
      about: "a chain that the host keeps, which starts this",
      load: () => Promise.resolve(conductorOfHost),
      isHidden: true,
    },
    "start-package": {
      about: "the program of a package in the folder that was meant, which npx starts",
      load: async () => (await import("./start-package.js")).startPackage,
      isHidden: true,
    },
    "sandbox-watch": {
      about: "watches the files of sandboxes, for the process that starts this",
      load: async () => (await import("./sandbox-watch.js")).sandboxWatch,
      isHidden: true,
    },
    "mcp-shim": {
      about: "an MCP server of a chain over stdio, which the chain starts",
      load: async () => (await import("./mcp-shim.js")).mcpShim,
      isHidden: true,
    },
  },
  epilogue: "SYMPOSIUM_CONFIG_DIR moves the folder of config.jsonc.",
});

const version = subcommand({
  name: "version",
  about: "Print the version.",
  run() {
    process.stdout.write(`symposium-acp-agent ${productVersion}\n`);
    return Promise.resolve(0);
  },
});

/** Somebody in an editor waits for these starts: what Node compiles for them is kept. */
function forEditors(name: string, load: () => Promise<Subcommand>): () => Promise<Subcommand> {
  return () => {
    keepCompiledCode([configFolder(), ...packageFolders(process.argv[1])], name);
    return load();
  };
}
