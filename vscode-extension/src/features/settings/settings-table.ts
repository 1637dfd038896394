import { defaultStartupSeconds } from "../../acp/agent-configuration.js";
import { agentsSetting } from "./agents-setting.js";
import { modelToolsSetting } from "./model-tools-setting.js";
import { extensionsSetting } from "./extensions-setting.js";
import { mcpServersSetting } from "./mcp-servers-setting.js";
import type { Setting, SettingProblem } from "./setting.js";
import { choice, flag, seconds, text, textList } from "./setting-kinds.js";

/** All settings of the extension. Both package.json's contributions and the parser are generated from this table. */
export const settingsTable = {
  currentAgentId: text(
    "The agent of new tabs, by id. Empty: the first page asks, and `+` opens the demo until you choose one.",
    "machine-overridable",
  ),
  agents: agentsSetting,
  extensions: extensionsSetting,
  mcpServers: mcpServersSetting,
  editorTools: choice(
    "Whether agents can call the tools of VS Code itself, as one MCP server. VS Code runs each call and asks you where its tools want that. For servers that you have imported, leave it off, or agents get their tools twice.",
    {
      off: "Agents get none of them.",
      mcp: "The tools of the MCP servers that VS Code runs, with its sign-ins and inputs.",
      all: "Also the tools of extensions.",
    },
    "off",
    "machine",
  ),
  acpAgentPath: text(
    "Path of `symposium-acp-agent`. Empty: the one in this extension, or else the one on PATH.",
    "machine",
  ),
  agentSpawnArgs: textList("More arguments for `symposium-acp-agent run-with`.", "machine"),
  host: choice(
    "Whether sessions outlive their window.",
    {
      off: "A turn ends when its window closes.",
      on: "Sessions are kept by the host, a background process: a turn goes on when its window closes, and its tab shows the rest when the window opens again.",
    },
    "off",
    "machine",
  ),
  startupTimeout: seconds(
    "How many seconds an agent or an extension may take to start. A first start may have to download it.",
    defaultStartupSeconds,
    "machine",
  ),
  commandOutput: choice(
    "How verbose the output of agents' commands is.",
    {
      short:
        "Agents start with variables that test runners, linters and installers read themselves (`AI_AGENT`, `NO_COLOR`, `RUFF_OUTPUT_FORMAT` and the like), so that their output has what matters alone. What you have set stays.",
      full: "Without these variables.",
    },
    "short",
  ),
  bypassPermissions: textList(
    "Ids of agents whose permission requests are approved automatically. Use it for agents that you trust with everything.",
    "machine",
  ),
  requireModifierToSend: flag(
    "Enter begins a new line, and Ctrl+Enter (Cmd+Enter) sends. Otherwise Enter sends and Shift+Enter begins a new line.",
    false,
  ),
  notifyWhenUnfocused: flag(
    "Show a notification when a turn ends or an agent asks while the window is in the background.",
    true,
  ),
  reviewChanges: flag("Mark the lines that agents change, with Keep and Undo beside each change.", true),
  showRemovedLines: flag("Show the removed text behind each changed line.", true),
  followAgent: flag(
    "Show each file that the agent of the selected tab changes, as it does so, in an editor beside yours. The focus stays where it is.",
    false,
  ),
  snapshots: flag(
    "Keep snapshots of the folders that agents work in, in Symposium's own storage: changes by commands are found with them, and files are put back. Without them, only what agents say that they change is reviewed.",
    true,
  ),
  snapshotIgnoredFiles: textList(
    "Git-ignored files to include in snapshots, as patterns like those of `.gitignore`: `.env*`, `dist`.",
    "machine-overridable",
  ),
  "worktree.setUp": text(
    "Command that runs once in each new worktree of a chat, in a terminal, such as `npm ci`. The first prompt waits for it. It never runs in restricted mode.",
    "machine-overridable",
  ),
  startLanguageServers: flag(
    "Use an installed language server if no extension supports the language. Nothing is downloaded.",
    true,
    "machine",
  ),
  checkForUpdates: flag(
    "Once a week, when you open Symposium's view, say which installed agents and extensions and whether the command have newer versions. The registry's list tells it, which is fetched for the view anyway. Nothing is installed unasked.",
    true,
    "machine",
  ),
  logLevel: choice(
    "Log level.",
    { error: "Errors only.", info: "What happens, in short.", debug: "Everything but contents." },
    "info",
  ),
  agentLogLevel: choice(
    "How much the agent process logs. Empty: as `symposium.logLevel`.",
    { "": "As `symposium.logLevel`.", error: "", warn: "", info: "", debug: "", trace: "Every message's method." },
    "",
  ),
  traceDir: text(
    "Folder for traces of the protocol, with contents; credentials are redacted. Empty: nothing is traced.",
    "machine",
  ),
  enableExperimentalLM: flag(
    "Offer agents as language models, to the editor's own chat and to other extensions. Experimental.",
    false,
  ),
  languageModelAgents: textList(
    "Ids of the agents that are offered as language models. Empty: the agents of `symposium.agents` and the current one.",
    "machine",
  ),
  languageModelExposure: modelToolsSetting,
  languageModelSystemPrompt: choice(
    "What becomes of the system message that the editor's chat sends along.",
    {
      auto: "As the model's exposure wants it: `drop` for `agent`, where its talk of the editor's tools misleads, else `append`.",
      append: "It follows the agent's own. The chat's modes and instructions work as with any model.",
      pass: "The prompt begins with it. For agents that take no system message.",
      drop: "It is left out.",
    },
    "auto",
  ),
  languageModelThinking: flag("Show the thinking of agents in the editor's own chat.", true),
  languageModelMeter: flag(
    "Show in the status bar how full the context of the language model is, after its first answer.",
    true,
  ),
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

export type SettingKey = keyof typeof settingsTable;
export type Settings = { readonly [K in SettingKey]: (typeof settingsTable)[K] extends Setting<infer T> ? T : never };

export interface ParsedSettings {
  readonly settings: Settings;
  readonly problems: readonly SettingProblem[];
}

/** Parses every setting. `valueOf` returns the user's value of `symposium.KEY`, or undefined for the default. */
export function parseSettings(valueOf: (key: SettingKey) => unknown): ParsedSettings {
  const problems: SettingProblem[] = [];
  const entries = Object.entries(settingsTable).map(([key, setting]) => {
    const name = `symposium.${key}`;
    const value = valueOf(key as SettingKey) ?? setting.contribution.default;
    const read = setting.read(value, (message, hint) => {
      const space = /^[[:]/.test(message) ? "" : " ";
      problems.push({ setting: name, message: `${name}${space}${message}`, ...(hint === undefined ? {} : { hint }) });
    });
    return [key, read] as const;
  });
  return { settings: Object.freeze(Object.fromEntries(entries)) as Settings, problems };
}

export function settingContributions(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settingsTable).map(([key, { contribution }], order) => [
      `symposium.${key}`,
      { order, ...contribution },
    ]),
  );
}
