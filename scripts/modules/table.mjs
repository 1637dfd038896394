// Who may import whom: what is not listed is forbidden. `check.mjs` holds the repository to it, and ARCHITECTURE.md shows it.

const core = "core/src/";
const every = Symbol("all of core");

/** @typedef {{ path: string, about: string, modules: readonly string[] | typeof every, packages: readonly string[] }} Module */

/** A module of core; `below` are others of core. In its `node.ts` and `node` folder it may use the system, too. */
const ofCore = (name, about, below, packages = []) => ({
  path: core + name,
  about,
  modules: below === every ? every : below.map((one) => core + one),
  packages,
});

const wire = ["base", "rpc"];
const described = [...wire, "settings", "acp", "registry"];
const chain = [...wire, "settings", "acp", "ide-operations", "trust", "mcp", "safety", "conductor", "client"];

/** @type {readonly Module[]} */
export const modules = [
  ofCore("base", "errors, scope, logger, lines", []),
  ofCore("rpc", "JSON-RPC 2.0: raw JSON, frames, messages, peers, connections; no ACP", ["base"]),
  ofCore(
    "safety",
    "what an agent may not do unasked: sensitive files, what a command runs, what a remembered answer covers",
    ["base"],
    ["unbash"],
  ),
  ofCore("settings", "config.jsonc, distributions, shell words: parses, never throws", wire, ["jsonc-parser"]),
  ofCore("acp", "the method names of ACP that we act on", ["base"]),
  ofCore("ide-operations", "the contract of IDE operations, on the wire and as an interface", wire),
  ofCore(
    "registry",
    "agents and extensions as catalogues describe them, and what to install or start",
    [...wire, "settings", "acp"],
    ["semver"],
  ),
  ofCore("recommendations", "which extensions a workspace should be offered, and why", described, ["smol-toml"]),
  ofCore("trust", "whether code of a folder may run: what is kept, what is asked", [...wire, "settings", "acp"]),
  ofCore("trace", "recording, redaction, the trace page", [...wire, "acp"]),
  ofCore("mcp", "MCP servers as the bridge sees them, and both eras of MCP", wire),
  ofCore("zed", "Zed's settings: what we add to them and take out again", [...wire, "settings"], ["jsonc-parser"]),
  ofCore("conductor", "the chain and its members", [...wire, "settings", "acp", "mcp"]),
  ofCore(
    "client",
    "an ACP agent's client: sessions, turns, running agents, what is known of each",
    [...wire, "settings", "acp", "mcp", "registry", "conductor"],
    ["@agentclientprotocol/sdk"],
  ),
  ofCore("proxies", "the built-in proxies", chain, ["jsonc-parser", "semver", "diff"]),
  ofCore("agents", "the embedded agents: Eliza, setup", [...chain, "registry"], ["@agentclientprotocol/sdk"]),
  ofCore("model", "an agent as a language model: turns, the client's tools, histories, sessions", chain),
  ofCore("openai", "chat completions and responses as a wire of `model`", [...wire, "mcp", "model"]),
  ofCore("vscodelm", "the wire of an editor's language models to `model`", [
    ...wire,
    "settings",
    "mcp",
    "client",
    "model",
  ]),
  ofCore("chains", "a chain for each choice of agent and proxies, and the options that choose", [...chain, "agents"]),
  ofCore("testing", "scripted agents and proxies, in process and as programs, for every test", [...chain, "proxies"]),
  ofCore("node", "the operating system: processes, stdio, files, http", every, [
    "node:*",
    "undici",
    "@modelcontextprotocol/client",
    "@secretlint/secretlint-rule-preset-recommend",
  ]),
  ofCore(
    "install",
    "what is installed: fetched, unpacked, tried, and started from there",
    [...described, "conductor", "client", "proxies", "node"],
    ["node:*", "tar-stream", "yauzl"],
  ),
  ofCore(
    "cli",
    "the command: parses words and prints; one file a subcommand, each loaded when it is asked for",
    every,
    ["node:*", "commander", "semver"],
  ),
  {
    path: "lsp-adapter/src",
    about: "language servers: connections, documents, operations, health, the shared process",
    modules: ["core"],
    packages: [
      "node:*",
      "vscode-languageserver",
      "vscode-languageserver-protocol",
      "vscode-languageserver-textdocument",
    ],
  },
  {
    path: "vscode-extension/protocol",
    about: "messages between extension and pages, items of a transcript, and how changes apply",
    modules: [],
    packages: ["zod"],
  },
  {
    path: "vscode-extension/webview",
    about: "the pages: `chat`, `settings`, and their `controls`",
    modules: ["vscode-extension/protocol"],
    packages: [
      "@vscode/codicons",
      "anser",
      "diff",
      "dompurify",
      "fuzzysort",
      "highlight.js",
      "lit",
      "markdown-it",
      "zod",
    ],
  },
  {
    path: "vscode-extension/src/acp",
    about: "agent processes and sessions, seen from an editor; knows no feature",
    modules: ["vscode-extension/protocol", "core"],
    packages: ["node:*", "diff", "zod"],
  },
  {
    path: "vscode-extension/src/features",
    about: "one folder for each thing that the extension does",
    modules: ["vscode-extension/protocol", "vscode-extension/src/acp", "core"],
    packages: ["node:*", "vscode", "diff", "fuzzysort", "ignore", "zod"],
  },
  {
    path: "vscode-extension/src/services",
    about: "what is constructed, once, and with what",
    modules: ["vscode-extension/protocol", "vscode-extension/src/acp", "vscode-extension/src/features", "core"],
    packages: ["node:*", "vscode"],
  },
  {
    path: "scripts/bundle",
    about: "the files of the command: what a start reads together, the rest on demand",
    modules: [],
    packages: ["node:*", "esbuild"],
  },
  {
    path: "scripts/docs",
    about: "what makes a site of `docs`",
    modules: ["scripts/release"],
    packages: ["node:*"],
  },
  {
    path: "scripts/modules",
    about: "this table, and what holds the repository to it",
    modules: [],
    packages: ["node:*", "typescript"],
  },
  {
    path: "scripts/release",
    about: "everything that is released, from one table of platforms; `tools` locks the programs that only this needs",
    modules: ["scripts", "scripts/bundle"],
    packages: ["node:*", "esbuild", "tar", "yazl"],
  },
  {
    path: "scripts/setup",
    about: "what `npm run setup` puts into the editors of this machine",
    modules: [],
    packages: ["node:*"],
  },
  {
    path: "scripts/test",
    about: "`npm test`: the suites, their parts side by side, the browser that shows pages; `tools` locks it",
    modules: ["scripts", "scripts/modules"],
    packages: ["node:*"],
  },
  {
    path: "scripts/workflows",
    about: "the workflows' steps on this machine, with stand-ins for what leaves it",
    modules: ["scripts", "scripts/release"],
    packages: ["node:*", "yaml"],
  },
];

/** What a path below `core/src` other than a module's, or a package's name, stands for: what core exports. */
export const coreEntries = ["core/src/index.ts", "core/src/node/index.ts"];

/** The module that a file belongs to, and whether it is of the half of it that uses the system. */
export function moduleOf(file) {
  const found = modules.find(({ path }) => file.startsWith(`${path}/`));
  if (!found) return undefined;
  const rest = file.slice(found.path.length);
  const isSystem = found.path.startsWith(core) && /\/node(?:\.ts$|\/)/.test(rest);
  return { module: found, isSystem };
}

/** Whether a file of `module` may import `from`, a file of ours or what is written of a package. */
export function mayImport({ module, isSystem }, from) {
  if (/^[@\w]/.test(from) && !from.includes("/src/") && !isFileOfOurs(from)) return mayUse(module, isSystem, from);
  const target = moduleOf(from);
  if (!module.path.startsWith(core) && coreEntries.includes(from)) return allows(module, "core");
  if (!target) {
    if (from.startsWith("scripts/") && !from.slice("scripts/".length).includes("/")) return allows(module, "scripts");
    return from.endsWith(".d.ts") || from.endsWith(".json") || isOwnPackage(module, from);
  }
  if (target.module === module) return isSystem || !target.isSystem || module.packages.includes("node:*");
  if (module.modules === every) return target.module.path.startsWith(core);
  if (target.isSystem) return isSystem && allows(module, target.module.path);
  return allows(module, target.module.path) || (isSystem && target.module.path === `${core}node`);
}

function isFileOfOurs(from) {
  return /^(?:core|lsp-adapter|vscode-extension|scripts|test|docs)\//.test(from);
}

function isOwnPackage(module, from) {
  return module.path.split("/")[0] === from.split("/")[0];
}

function allows({ modules: allowed }, path) {
  return allowed === every || allowed.includes(path);
}

function mayUse({ packages }, isSystem, specifier) {
  if (specifier.startsWith("node:")) return isSystem || packages.includes("node:*");
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  return packages.includes(name);
}

/** The rows of the page's table. */
export function tableRows() {
  return modules.map(({ path, about, modules: allowed, packages }) => {
    const short = (one) => (one.startsWith(core) ? one.slice(core.length) : one === "core" ? "core by package" : one);
    const names = allowed === every ? ["all of core"] : allowed.map(short);
    const words = [names.join(", "), packages.map((name) => `\`${name}\``).join(", ")].filter((text) => text !== "");
    return [`\`${path}\``, about, words.length === 0 ? "nothing" : words.join("; ")];
  });
}
