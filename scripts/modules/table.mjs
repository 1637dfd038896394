// Allowed imports between modules. `npm run lint` rejects all others. In core, a room imports only rooms that are listed before it.

/** Stands for every room of core. */
export const allOfCore = "all of core";
/** Stands for what core exports to other packages. */
export const corePackage = "core by package";

/**
 * @typedef {object} Module
 * @property {string} path its folder; if a file is in several, the first one listed applies
 * @property {string} about
 * @property {readonly string[]} modules the paths of those it may import
 * @property {readonly string[]} packages npm packages, or `node:*`
 * @property {{ folders: readonly string[], packages: readonly string[] }} [system] additional packages for files of its system
 *   half: `node.ts`, files in a folder `node`, and those in `folders`
 */

/**
 * A room of core. Only its `node.ts`, its `node` folders and `systemFolders` know the operating system.
 * @returns {Module}
 */
function room(name, about, rooms, packages, system = {}) {
  return {
    path: `core/src/${name}`,
    about,
    modules: rooms.map((one) => `core/src/${one}`),
    packages,
    system: {
      folders: (system.folders ?? []).map((folder) => `core/src/${folder}`),
      packages: ["node:*", ...(system.packages ?? [])],
    },
  };
}

/** @type {readonly Module[]} */
export const modules = [
  room(
    "base",
    "protocols (JSON-RPC, ACP, MCP, IDE operations) and the system (processes, files, locks, HTTP): no product feature",
    [],
    ["unbash"],
    {
      packages: [
        "@modelcontextprotocol/client",
        "@secretlint/secretlint-rule-preset-recommend",
        "smol-toml",
        "tar-stream",
        "yauzl",
      ],
    },
  ),
  room("settings", "config.jsonc, the project's file, and which folders the user trusts", ["base"], ["jsonc-parser"], {
    packages: ["smol-toml"],
  }),
  room(
    "sessions",
    "conversations that are stored, live sessions that the host keeps, usage, traces and telemetry",
    ["base"],
    ["@opentelemetry/api"],
    {
      packages: [
        "@opentelemetry/exporter-metrics-otlp-http",
        "@opentelemetry/exporter-trace-otlp-http",
        "@opentelemetry/resources",
        "@opentelemetry/sdk-metrics",
        "@opentelemetry/sdk-trace-base",
        "ws",
      ],
    },
  ),
  room(
    "conductor",
    "the chain from editor to agent, its members, running agents, and the switch from one agent to another",
    ["base"],
    ["@agentclientprotocol/sdk"],
  ),
  room(
    "agents",
    "which agents there are, how they are found, installed and set up; Eliza; Zed's settings",
    ["base", "settings", "conductor"],
    ["@agentclientprotocol/sdk", "semver", "smol-toml"],
    { folders: ["agents/install"], packages: ["diff"] },
  ),
  room(
    "context",
    "what a session gets besides the prompt: MCP servers, rules, skills, slash commands",
    ["base", "settings", "conductor", "agents"],
    ["jsonc-parser", "minisearch"],
    { packages: ["@modelcontextprotocol/client", "smol-toml", "yaml"] },
  ),
  room(
    "guard",
    "what an agent may do: rules, budgets, hooks, the sandbox and its network",
    ["base", "settings", "sessions", "conductor", "agents"],
    [],
  ),
  room(
    "extensions",
    "the built-in proxies: package sources, tests and checks, code navigation, memory",
    ["base", "settings", "conductor", "context"],
    ["diff", "jsonc-parser", "re2js", "semver", "smol-toml"],
    { packages: ["yauzl", "@symposium-dev/lsp-adapter"] },
  ),
  room(
    "models",
    "agents as language models, for VS Code and for clients of OpenAI's API",
    ["base", "conductor"],
    ["@agentclientprotocol/sdk", "zod"],
  ),
  room(
    "app",
    "from configuration to a running chain; `cli` is the command",
    ["base", "settings", "sessions", "conductor", "agents", "context", "guard", "extensions", "models"],
    [],
    {
      folders: ["app"],
      packages: [
        "@agentclientprotocol/sdk",
        "@clack/prompts",
        "@symposium-dev/lsp-adapter",
        "commander",
        "diff",
        "fast-string-width",
        "markdown-it",
        "semver",
      ],
    },
  ),
  {
    path: "core/testing",
    about: "scripted agents and proxies, in process and as programs, for every test",
    modules: [allOfCore],
    packages: ["node:*", "@agentclientprotocol/sdk"],
  },
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
    packages: ["@vscode/l10n", "zod"],
  },
  {
    path: "vscode-extension/webview",
    about: "the pages: `chat`, `settings`, and their `controls`",
    modules: ["vscode-extension/protocol"],
    packages: [
      "@vscode/codicons",
      "@vscode/l10n",
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
    packages: ["node:*", "@vscode/l10n", "diff", "zod"],
  },
  {
    path: "vscode-extension/src/features",
    about: "one folder for each thing that the extension does",
    modules: ["vscode-extension/protocol", "vscode-extension/src/acp", corePackage],
    packages: [
      "node:*",
      "vscode",
      "@vscode/l10n",
      "vscode-languageclient",
      "vscode-languageserver-protocol",
      "diff",
      "fuzzysort",
      "ignore",
      "zod",
    ],
  },
  {
    path: "vscode-extension/src/services",
    about: "what is constructed, once, and with what",
    modules: ["vscode-extension/protocol", "vscode-extension/src/acp", "vscode-extension/src/features", corePackage],
    packages: ["node:*", "vscode", "@vscode/l10n"],
  },
  {
    path: "scripts/bundle",
    about: "the files of the command: what a start reads together, the rest on demand; the files of the extension",
    modules: [],
    packages: ["node:*", "esbuild", "minimizer-webpack-plugin", "oxc-minify", "oxc-parser", "subset-font", "webpack"],
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
    packages: ["node:*", "esbuild", "tar", "yauzl", "yazl"],
  },
  {
    path: "scripts/install-clone",
    about: "what `npm run install-clone` puts into the editors of this machine",
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
    path: "scripts/untranslated",
    about: "texts of the extension that users see without `l10n.t`, and the places whose texts stay English",
    modules: [],
    packages: ["oxc-parser"],
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
    modules: ["bundle", "docs", "install-clone", "modules", "release", "test", "untranslated", "workflows"].map(
      (name) => `scripts/${name}`,
    ),
    packages: ["node:*", "webpack"],
  },
  {
    path: "lsp-adapter",
    about: "its tests",
    modules: ["lsp-adapter/src", "core/testing", "test", corePackage],
    packages: ["node:*", "fast-check", "vscode-languageserver-protocol"],
  },
  {
    path: "vscode-extension/src",
    about: "`extension.ts`: what the editor calls",
    modules: ["acp", "features", "services"].map((name) => `vscode-extension/src/${name}`).concat(corePackage),
    packages: ["node:*", "vscode", "@vscode/l10n"],
  },
  {
    path: "core/src",
    about: "`index.ts`: what core exports to other packages",
    modules: [allOfCore],
    packages: [],
  },
];
