import * as l10n from "@vscode/l10n";
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
    l10n.t("The agent for new tabs, by ID. Empty: the first page asks, and `+` opens the demo until you choose one."),
    "machine-overridable",
  ),
  agents: agentsSetting,
  extensions: extensionsSetting,
  mcpServers: mcpServersSetting,
  editorTools: choice(
    l10n.t(
      "Whether agents can call VS Code's own tools, as one MCP server. VS Code runs each call and asks you if a tool requires it. Leave this off for servers that you have imported; otherwise agents get their tools twice.",
    ),
    {
      off: l10n.t("Agents get none of VS Code's tools."),
      mcp: l10n.t("Tools of the MCP servers that VS Code runs, with VS Code's sign-ins and inputs."),
      all: l10n.t("Tools of MCP servers and of extensions."),
    },
    "off",
    "machine",
  ),
  acpAgentPath: text(
    l10n.t("Path of `symposium-acp-agent`. Empty: the one in this extension, otherwise the one on PATH."),
    "machine",
  ),
  agentSpawnArgs: textList(l10n.t("Additional arguments for `symposium-acp-agent run-with`."), "machine"),
  host: choice(
    l10n.t("Whether sessions outlive their window."),
    {
      "": l10n.t("Uses `host` from config.jsonc."),
      off: l10n.t("A turn ends when its window closes."),
      on: l10n.t(
        "The host, a background process, runs sessions. Turns continue after their window closes, and tabs show the rest of the turn when the window opens again.",
      ),
    },
    "",
    "machine",
  ),
  startupTimeout: seconds(
    l10n.t("Start timeout for agents and extensions, in seconds. A first start may include a download."),
    defaultStartupSeconds,
    "machine",
  ),
  commandOutput: choice(
    l10n.t("Output length of the commands that agents run."),
    {
      short: l10n.t(
        "Agents start with variables that make test runners, linters and installers print only what matters (`AI_AGENT`, `NO_COLOR`, `RUFF_OUTPUT_FORMAT` and so on). Variables that you set yourself stay.",
      ),
      full: l10n.t("Agents start without these variables."),
    },
    "short",
  ),
  bypassPermissions: textList(
    l10n.t(
      "IDs of agents whose permission requests are approved automatically. Use this only for agents that you trust completely.",
    ),
    "machine",
  ),
  requireModifierToSend: flag(
    l10n.t(
      "Enter starts a new line, and Ctrl+Enter (Cmd+Enter) sends. If off, Enter sends and Shift+Enter starts a new line.",
    ),
    false,
  ),
  notifyWhenUnfocused: flag(
    l10n.t("Show a notification when a turn ends or an agent asks while the window is in the background."),
    true,
  ),
  reviewChanges: flag(l10n.t("Mark the lines that agents change, with Keep and Undo beside each change."), true),
  showRemovedLines: flag(l10n.t("Show the removed text behind each changed line."), true),
  followAgent: flag(
    l10n.t(
      "Open each file that the selected tab's agent changes in an editor beside yours, as the agent changes it. The focus stays where it is.",
    ),
    false,
  ),
  snapshots: flag(
    l10n.t(
      "Store snapshots of the folders that agents work in, in Symposium's own storage, to detect changes made by commands and to restore files. Without snapshots, only changes that agents report are reviewed.",
    ),
    true,
  ),
  snapshotIgnoredFiles: textList(
    l10n.t("Git-ignored files to include in snapshots, as patterns like those of `.gitignore`: `.env*`, `dist`."),
    "machine-overridable",
  ),
  "worktree.setUp": text(
    l10n.t(
      "Command that runs once in each new worktree of a chat, in a terminal, such as `npm ci`. The first prompt is sent when it finishes. It never runs in Restricted Mode.",
    ),
    "machine-overridable",
  ),
  startLanguageServers: flag(
    l10n.t("Use an installed language server if no extension supports the language. Nothing is downloaded."),
    true,
    "machine",
  ),
  languageFeatures: choice(
    l10n.t(
      "Whether you get definitions, references, hovers, renames and problems from the language servers that Symposium runs for agents. The servers must be installed.",
    ),
    {
      missing: l10n.t("For languages that no installed extension supports."),
      off: l10n.t("Never."),
    },
    "missing",
    "machine",
  ),
  checkForUpdates: flag(
    l10n.t(
      "Once a week, when you open the Symposium view, show which installed agents and extensions have newer versions, and whether the command does. This uses the registry list that the view fetches anyway. Nothing is installed without asking.",
    ),
    true,
    "machine",
  ),
  logLevel: choice(
    l10n.t("Log level."),
    { error: l10n.t("Errors only."), info: l10n.t("Main events."), debug: l10n.t("Everything except contents.") },
    "info",
  ),
  agentLogLevel: choice(
    l10n.t("Log level of the agent process. Empty: same as `symposium.logLevel`."),
    {
      "": l10n.t("Same as `symposium.logLevel`."),
      error: "",
      warn: "",
      info: "",
      debug: "",
      trace: l10n.t("Everything, including the method of each message."),
    },
    "",
  ),
  traceDir: text(
    l10n.t("Folder for protocol traces, including contents; credentials are redacted. Empty: no traces."),
    "machine",
  ),
  enableExperimentalLM: flag(
    l10n.t("Offer agents as language models to the editor's own chat and to other extensions. Experimental."),
    false,
  ),
  languageModelAgents: textList(
    l10n.t(
      "IDs of the agents that are offered as language models. Empty: the agents of `symposium.agents` and the current one.",
    ),
    "machine",
  ),
  languageModelExposure: modelToolsSetting,
  languageModelSystemPrompt: choice(
    l10n.t("How to handle the system message that the editor's chat sends."),
    {
      auto: l10n.t(
        "Depends on the model's tools: `drop` for `agent`, where text about the editor's tools would mislead, otherwise `append`.",
      ),
      append: l10n.t(
        "Added after the agent's own system message. The chat's modes and instructions work as with any model.",
      ),
      pass: l10n.t("Added to the start of the prompt, for agents that accept no system message."),
      drop: l10n.t("Left out."),
    },
    "auto",
  ),
  languageModelThinking: flag(l10n.t("Show agents' thinking in the editor's own chat."), true),
  languageModelMeter: flag(
    l10n.t("Show in the status bar how full the language model's context is, after its first answer."),
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
