// Who may import whom: what is not listed is forbidden. `npm run lint` holds the repository to it, and ARCHITECTURE.md shows it.

/** Stands for every module of core. */
export const allOfCore = "all of core";
/** Stands for what core exports to other packages. */
export const corePackage = "core by package";

/**
 * @typedef {object} Module
 * @property {string} path its folder; of two that hold a file, the first one listed counts
 * @property {string} about
 * @property {readonly string[]} modules the paths of those it may import
 * @property {readonly string[]} packages of npm, or `node:*`
 * @property {{ modules: readonly string[], packages: readonly string[] }} [system] what its `node.ts` and `node` folder may
 *   import besides
 */

/** A module of core, which knows nothing of the system but in its `node.ts` and `node` folder. @returns {Module} */
function ofCore(name, about, below, packages = [], system = {}) {
  const inCore = (one) => (one === allOfCore ? one : `core/src/${one}`);
  return {
    path: `core/src/${name}`,
    about,
    modules: below.map(inCore),
    packages,
    system: {
      modules: ["node", ...(system.modules ?? [])].map(inCore),
      packages: ["node:*", ...(system.packages ?? [])],
    },
  };
}

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
  ofCore(
    "settings",
    "config.jsonc, distributions, shell words: parses, never throws",
    [...wire, "safety"],
    ["jsonc-parser"],
  ),
  ofCore(
    "acp",
    "the method names of ACP that we act on, what of a message is read without parsing it, whose tool a call is",
    wire,
  ),
  ofCore("ide-operations", "the contract of IDE operations, on the wire and as an interface", wire),
  ofCore(
    "registry",
    "agents and extensions as catalogues describe them, and what to install or start",
    [...wire, "settings", "acp"],
    ["semver"],
  ),
  ofCore("runs", "programs that run to their end for an agent: limits, logs, what is kept of them", wire),
  ofCore("cargo", "cargo on this machine: why it cannot run, how it runs, what it would say", [...wire, "runs"], [], {
    packages: ["smol-toml"],
  }),
  ofCore(
    "recommendations",
    "which extensions a workspace should be offered, and why",
    [...described, "cargo"],
    ["smol-toml"],
    { modules: ["trust"] },
  ),
  ofCore("trust", "whether code of a folder may run: what is kept, what is asked", [...wire, "settings", "acp"]),
  ofCore("trace", "recording, redaction, the trace page", [...wire, "acp"], [], {
    packages: ["@secretlint/secretlint-rule-preset-recommend"],
  }),
  ofCore("mcp", "MCP servers as the bridge sees them, and both eras of MCP", wire),
  ofCore("zed", "Zed's settings: what we add to them and take out again", [...wire, "settings"], [], {
    packages: ["diff"],
  }),
  ofCore("conductor", "the chain and its members", [...wire, "settings", "acp", "mcp"]),
  ofCore(
    "client",
    "an ACP agent's client: sessions, turns, running agents, what is known of each",
    [...wire, "settings", "acp", "mcp", "registry", "conductor"],
    ["@agentclientprotocol/sdk"],
  ),
  ofCore(
    "servers",
    "the user's MCP servers: one client of each for every agent, and the files of others that name them",
    [...wire, "settings", "acp", "trust", "trace", "mcp", "registry", "conductor", "client"],
    ["jsonc-parser", "minisearch"],
    { packages: ["@modelcontextprotocol/client", "smol-toml", "yaml"] },
  ),
  ofCore(
    "project",
    "the project's own files of configuration: what counts, what needs approval, what agents would start",
    [...described, "trust", "mcp", "conductor", "client"],
    [],
    { packages: ["smol-toml"] },
  ),
  ofCore(
    "context",
    "what sessions get besides the user's words: rules, skills, slash commands, servers",
    [...described, "trust", "mcp", "conductor", "client", "servers", "project"],
    [],
    { packages: ["yaml", "smol-toml"] },
  ),
  ofCore(
    "packages",
    "packages of npm, Python, Go and the JVM as the files of a project get them: versions, files, declarations",
    wire,
    ["jsonc-parser", "semver", "smol-toml", "re2js"],
    { modules: ["runs", "install"], packages: ["yauzl"] },
  ),
  ofCore("conversations", "what was said in sessions: recorded at the editor's edge, kept on disk, found again", [
    ...wire,
    "settings",
    "acp",
    "safety",
    "mcp",
  ]),
  ofCore("usage", "what agents come to by day and folder, counted beside the conversations: numbers, no contents", [
    ...wire,
    "acp",
    "safety",
    "conversations",
  ]),
  ofCore(
    "guard",
    "the user's rules for agents: what they match and decide, the record of that; and the sandbox that agents run in",
    [...wire, "settings", "acp", "mcp", "registry", "conductor", "safety", "trust", "conversations", "usage"],
    [],
    { modules: ["project"] },
  ),
  ofCore(
    "proxies",
    "the built-in proxies",
    [...chain, "runs", "cargo", "context", "packages"],
    ["jsonc-parser", "semver", "diff"],
  ),
  ofCore("chains", "a chain for each choice of agent and proxies, and the switch of a session's agent", chain),
  ofCore("agents", "the embedded agents: Eliza, setup", [...chain, "registry", "chains"], ["@agentclientprotocol/sdk"]),
  ofCore("model", "agents as language models: the registry of sessions, their turns, the client's tools", chain, [
    "@agentclientprotocol/sdk",
  ]),
  ofCore("openai", "chat completions and responses as a codec of `model`", [...wire, "mcp", "model"], ["zod"]),
  ofCore("vscodelm", "the wire to an editor's extension as a codec of `model`", [
    ...wire,
    "settings",
    "mcp",
    "client",
    "model",
  ]),
  ofCore("testing", "scripted agents and proxies, in process and as programs, for every test", [
    ...chain,
    "cargo",
    "proxies",
  ]),
  ofCore(
    "node",
    "the operating system: processes, stdio, files, http",
    [allOfCore],
    ["node:*", "@modelcontextprotocol/client", "@secretlint/secretlint-rule-preset-recommend"],
  ),
  ofCore(
    "install",
    "what is installed: fetched, unpacked, tried, and started from there",
    [...described, "cargo", "conductor", "client", "node"],
    ["node:*", "tar-stream", "yauzl"],
  ),
  ofCore(
    "start",
    "what starts for a user: the chain that the configuration or words describe, what it runs in, what can be chosen",
    [
      ...chain,
      "registry",
      "trace",
      "recommendations",
      "install",
      "servers",
      "project",
      "context",
      "guard",
      "conversations",
      "usage",
      "proxies",
      "chains",
      "agents",
      "node",
    ],
    ["node:*", "@symposium-dev/lsp-adapter"],
  ),
  ofCore(
    "cli",
    "the command: parses words and prints; one file a subcommand, each loaded when it is asked for",
    [allOfCore],
    [
      "node:*",
      "@clack/prompts",
      "commander",
      "diff",
      "semver",
      "@symposium-dev/lsp-adapter",
      "@agentclientprotocol/sdk",
    ],
  ),
  {
    path: "lsp-adapter/src",
    about: "language servers: connections, documents, operations, health, the shared process",
    modules: [corePackage],
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
    modules: ["vscode-extension/protocol", corePackage],
    packages: ["node:*", "diff", "zod"],
  },
  {
    path: "vscode-extension/src/features",
    about: "one folder for each thing that the extension does",
    modules: ["vscode-extension/protocol", "vscode-extension/src/acp", corePackage],
    packages: ["node:*", "vscode", "diff", "fuzzysort", "ignore", "zod"],
  },
  {
    path: "vscode-extension/src/services",
    about: "what is constructed, once, and with what",
    modules: ["vscode-extension/protocol", "vscode-extension/src/acp", "vscode-extension/src/features", corePackage],
    packages: ["node:*", "vscode"],
  },
  {
    path: "scripts/bundle",
    about: "the files of the command: what a start reads together, the rest on demand",
    modules: [],
    packages: ["node:*", "esbuild", "subset-font"],
  },
  {
    path: "scripts/docs",
    about: "what makes a site of `docs`",
    modules: ["scripts", "scripts/release"],
    packages: ["node:*"],
  },
  {
    path: "scripts/modules",
    about: "this table, and what holds the repository to it",
    modules: [],
    packages: ["node:*", "oxc-parser"],
  },
  {
    path: "scripts/quality",
    about: "records the runs of runners and linters that `npm run quality` reads, with the real tools",
    modules: ["scripts", allOfCore],
    packages: ["node:*"],
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
    packages: ["node:*", "yaml", "yauzl"],
  },
  {
    path: "scripts",
    about: "the entries of `npm run`, and what they share",
    modules: ["bundle", "docs", "modules", "release", "setup", "test", "workflows"].map((name) => `scripts/${name}`),
    packages: ["node:*", "esbuild"],
  },
  {
    path: "lsp-adapter",
    about: "its tests",
    modules: ["lsp-adapter/src", "core/src/testing", "test", corePackage],
    packages: ["node:*", "fast-check", "vscode-languageserver-protocol"],
  },
  {
    path: "vscode-extension/src",
    about: "`extension.ts`: what the editor calls",
    modules: ["acp", "features", "services"].map((name) => `vscode-extension/src/${name}`).concat(corePackage),
    packages: ["node:*", "vscode"],
  },
  {
    path: "core/src",
    about: "`index.ts`: what core exports to other packages",
    modules: [allOfCore],
    packages: [],
  },
];

/** The rows of the page's table: path, what it is for, what it may import. */
export function tableRows() {
  return modules.map(({ path, about, modules: allowed, packages, system }) => [
    `\`${path}\``,
    about,
    [words(allowed, packages), system && inSystem(system)].filter(Boolean).join("; ") || "nothing",
  ]);
}

function words(modules, packages) {
  const names = modules.map((name) => name.replace(/^core\/src\//, ""));
  return [...names, ...packages.map((name) => `\`${name}\``)].join(", ");
}

/** What the system half of every module may use goes without saying. */
function inSystem({ modules, packages }) {
  const more = words(modules.slice(1), packages.slice(1));
  return more === "" ? "" : `its system half also ${more}`;
}
