import { goose } from "./goose.js";
import { codex } from "./codex.js";
import {
  antigravity,
  claudeCode,
  claudeDesktop,
  cline,
  copilot,
  cursor,
  gemini,
  junie,
  projectFile,
  windsurf,
  zed,
} from "./common-formats.js";
import type { Format } from "./format.js";
import { agentPlugin, claudePlugin, type InstalledPlugin } from "./plugin.js";
import { opencode } from "./opencode.js";
import { devcontainer, vscode } from "./vscode.js";

export const products = {
  vscode: "VS Code",
  "vscode-insiders": "VS Code Insiders",
  vscodium: "VSCodium",
  "claude-code": "Claude Code",
  "claude-desktop": "Claude Desktop",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  "qwen-code": "Qwen Code",
  opencode: "OpenCode",
  "github-copilot": "GitHub Copilot CLI",
  zed: "Zed",
  cursor: "Cursor",
  windsurf: "Windsurf",
  junie: "Junie",
  cline: "Cline",
  goose: "Goose",
  antigravity: "Antigravity",
  plugins: "Agent Plugins",
} as const;

export type ProductId = keyof typeof products;

export interface Machine {
  readonly platform: "linux" | "darwin" | "win32";
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project's folder and its parents up to the repository root, as absolute paths; empty without a project. */
  readonly folders: readonly string[];
  /** Absolute path of the running VS Code editor's user folder, which may be in a non-default location. */
  readonly editorFolder?: string;
  /** Installed and enabled plugins; undefined if plugins weren't searched for. */
  readonly plugins?: readonly InstalledPlugin[];
}

export interface ServerFile {
  readonly product: ProductId;
  /** Absolute path of the file. One segment may be `*`, which matches any name. */
  readonly path: string;
  readonly kind: "user" | "project";
  readonly syntax: "json" | "toml" | "yaml";
  readonly format: Format;
  /** Agents that read the file by themselves, with their ids. */
  readonly readBy: readonly Reader[];
}

interface Reader {
  readonly agent: string;
  /** Whether the agent reads the file only after the user trusted the folder or the server. */
  readonly needsTrust: boolean;
}

/** Returns all files to search. If files contain equal servers, earlier files take precedence. */
export function serverFiles(machine: Machine): readonly ServerFile[] {
  return [...userFiles(machine), ...projectFiles(machine)];
}

type Joined = (...parts: readonly string[]) => string;

function pathsOf({ platform }: Pick<Machine, "platform">): Joined {
  return (...parts) => parts.join(platform === "win32" ? "\\" : "/");
}

interface ProductFolders {
  /** The user's `.config` folder or its platform equivalent. */
  readonly config: string;
  /** Folder for the data of desktop applications. */
  readonly data: string;
  readonly claude: string;
  readonly codex: string;
  readonly copilot: string;
  readonly cline: string;
  readonly goose: string;
  readonly zed: string;
}

function productFolders({ platform, home, env }: Machine, at: Joined): ProductFolders {
  const isWindows = platform === "win32";
  const given = (name: string, otherwise: string): string => (env[name] ?? "") || otherwise;
  const appData = given("APPDATA", at(home, "AppData", "Roaming"));
  const config = given("XDG_CONFIG_HOME", at(home, ".config"));
  return {
    config,
    data: { linux: config, darwin: at(home, "Library", "Application Support"), win32: appData }[platform],
    claude: given("CLAUDE_CONFIG_DIR", home),
    codex: given("CODEX_HOME", at(home, ".codex")),
    copilot: given("COPILOT_HOME", at(home, ".copilot")),
    cline: given("CLINE_DIR", at(home, ".cline")),
    goose: isWindows ? at(appData, "Block", "goose", "config") : at(config, "goose"),
    zed: isWindows ? at(appData, "Zed") : at(platform === "linux" ? config : at(home, ".config"), "zed"),
  };
}

/** Returns the `User` folders of VS Code and its forks, starting with the running editor's folder. */
function editorFolders(
  { home, editorFolder }: Machine,
  at: Joined,
  data: string,
): readonly { readonly product: ProductId; readonly path: string }[] {
  const usualEditors = (
    [
      ["vscode", at(data, "Code")],
      ["vscode-insiders", at(data, "Code - Insiders")],
      ["vscodium", at(data, "VSCodium")],
      ["vscode", at(home, ".vscode-server", "data")],
    ] as const
  ).map(([product, path]) => ({ product, path: at(path, "User") }));
  const isUsual = editorFolder === undefined || usualEditors.some(({ path }) => path === editorFolder);
  return isUsual ? usualEditors : [{ product: "vscode" as const, path: editorFolder }, ...usualEditors];
}

function userFiles(machine: Machine): readonly ServerFile[] {
  const { platform, home, env, plugins = [] } = machine;
  const at = pathsOf(machine);
  const folders = productFolders(machine, at);
  const editors = editorFolders(machine, at, folders.data);
  const user = (product: ProductId, format: Format, path: string, ...agents: readonly string[]): ServerFile => ({
    product,
    path,
    kind: "user",
    syntax: syntaxOf(path),
    format,
    readBy: agents.map((agent) => ({ agent, needsTrust: false })),
  });
  return [
    ...editors.flatMap(({ product, path }) => [
      user(product, vscode, at(path, "mcp.json")),
      user(product, vscode, at(path, "profiles", "*", "mcp.json")),
    ]),
    user("claude-code", claudeCode, at(folders.claude, ".claude.json"), "claude-code"),
    user("claude-desktop", claudeDesktop, at(folders.data, "Claude", "claude_desktop_config.json")),
    user("codex", codex, at(folders.codex, "config.toml"), "codex"),
    ...(platform === "win32" ? [] : [user("codex", codex, "/etc/codex/config.toml", "codex")]),
    user("gemini-cli", gemini, at(home, ".gemini", "settings.json"), "gemini-cli"),
    user("qwen-code", gemini, at(home, ".qwen", "settings.json"), "qwen-code"),
    user("opencode", opencode, at(folders.config, "opencode", "opencode.json"), "opencode"),
    user("opencode", opencode, at(folders.config, "opencode", "opencode.jsonc"), "opencode"),
    ...(env["OPENCODE_CONFIG"] ? [user("opencode", opencode, env["OPENCODE_CONFIG"], "opencode")] : []),
    user("github-copilot", copilot, at(folders.copilot, "mcp-config.json"), "github-copilot"),
    user("zed", zed, at(folders.zed, "settings.json")),
    user("cursor", cursor, at(home, ".cursor", "mcp.json"), "cursor-agent"),
    user("windsurf", windsurf, at(home, ".codeium", "windsurf", "mcp_config.json")),
    user("junie", junie, at(home, ".junie", "mcp", "mcp.json")),
    user("cline", cline, at(folders.cline, "data", "settings", "cline_mcp_settings.json")),
    ...editors.map(({ path }) =>
      user("cline", cline, at(path, "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")),
    ),
    user("goose", goose, at(folders.goose, "config.yaml"), "goose"),
    user("antigravity", antigravity, at(home, ".gemini", "antigravity", "mcp_config.json")),
    ...plugins.flatMap((plugin) => [
      user("plugins", agentPlugin(plugin), at(plugin.folder, "mcp.json"), ...plugin.readBy),
      user("plugins", claudePlugin(plugin), at(plugin.folder, ".mcp.json"), ...plugin.readBy),
    ]),
  ];
}

function projectFiles(machine: Machine): readonly ServerFile[] {
  const { folders } = machine;
  const at = pathsOf(machine);
  const [folder] = folders;
  const project = (
    product: ProductId,
    format: Format,
    parts: readonly string[],
    readBy: readonly Reader[] = [],
    inFolder = folder,
  ): readonly ServerFile[] => {
    if (inFolder === undefined) return [];
    const path = at(inFolder, ...parts);
    return [{ product, path, kind: "project", syntax: syntaxOf(path), format, readBy }];
  };
  const asks = (agent: string): Reader => ({ agent, needsTrust: true });
  const unasked = (agent: string): Reader => ({ agent, needsTrust: false });
  return [
    ...project("claude-code", projectFile, [".mcp.json"], [unasked("claude-code"), asks("github-copilot")]),
    ...project("vscode", vscode, [".vscode", "mcp.json"]),
    ...project("vscode", devcontainer, [".devcontainer", "devcontainer.json"]),
    // The Codex adapter trusts every session folder.
    ...project("codex", codex, [".codex", "config.toml"], [unasked("codex")]),
    ...project("gemini-cli", gemini, [".gemini", "settings.json"], [asks("gemini-cli")]),
    ...project("qwen-code", gemini, [".qwen", "settings.json"], [asks("qwen-code")]),
    ...folders.flatMap((one) => [
      ...project("opencode", opencode, ["opencode.json"], [unasked("opencode")], one),
      ...project("opencode", opencode, ["opencode.jsonc"], [unasked("opencode")], one),
    ]),
    ...project("github-copilot", copilot, [".github", "mcp.json"], [asks("github-copilot")]),
    ...project("zed", zed, [".zed", "settings.json"]),
    ...project("cursor", cursor, [".cursor", "mcp.json"], [unasked("cursor-agent")]),
    ...project("junie", junie, [".junie", "mcp", "mcp.json"]),
  ];
}

/** Returns the path of the file that lists the MCP servers JetBrains IDEs give to agents. */
export function jetBrainsFile({ platform, home }: Pick<Machine, "platform" | "home">): string {
  return [home, ".jetbrains", "acp.json"].join(platform === "win32" ? "\\" : "/");
}

function syntaxOf(path: string): ServerFile["syntax"] {
  if (path.endsWith(".toml")) return "toml";
  return path.endsWith(".yaml") ? "yaml" : "json";
}
