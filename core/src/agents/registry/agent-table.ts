import { asObject, type Members } from "../../base/rpc/json.js";
import {
  type AgentHosts,
  claudeHosts,
  codexHosts,
  copilotHosts,
  geminiHosts,
  opencodeHosts,
  qwenHosts,
} from "./agent-network-hosts.js";
import {
  claudeSandbox,
  codexSandbox,
  copilotSandbox,
  geminiSandbox,
  opencodeSandbox,
  qwenSandbox,
  type SandboxNeeds,
} from "./sandbox-needs.js";
import {
  claudeRules,
  codexRules,
  copilotRules,
  geminiRules,
  type NativeRules,
  opencodeRules,
  qwenRules,
} from "./native-rules.js";
import { claudeStarts, codexStarts, opencodeStarts, type ProjectStarts } from "../project-starts/project-start.js";

export interface AgentRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Prerequisite, as a phrase that follows "needs". */
  readonly needs: string;
  readonly program: string;
  readonly args: readonly string[];
  /** npm package that provides the program; used if the program isn't on PATH. */
  readonly npmPackage?: string;
  /** Approximate download size of the package with its dependencies, in megabytes. */
  readonly downloadMegabytes?: number;
  readonly isListedAlways?: boolean;
  readonly aliases?: readonly string[];
  readonly signInTraces?: SignInTraces;
  /** Identifies the agent in its `initialize` answer: by name, or by a capability in `_meta`. */
  readonly says?: { readonly name: RegExp; readonly capability?: string };
  /**
   * Whether sessions share one set of MCP servers, identified by name. Two sessions with equally named servers then get each other's calls.
   */
  readonly sharesServers?: boolean;
  /** Whether the model doesn't see embedded resources in prompts, although the agent declares support. */
  readonly dropsResources?: boolean;
  /** First version known to fork a session at one of the agent's messages. The message is named in `_meta`. */
  readonly forksAtMessageSince?: string;
  /** Whether the agent silently ignores the client's stdio MCP servers. */
  readonly dropsStdioServers?: boolean;
  /** Whether the agent lists MCP server prompts among its slash commands. */
  readonly listsServerPrompts?: boolean;
  readonly takesSystemPromptInMeta?: boolean;
  /**
   * Set if the model gets MCP tools only after searching for them. `named`: it sees tool names before the search; `unnamed`: it sees
   * nothing.
   */
  readonly deferredTools?: "named" | "unnamed";
  readonly editTools?: EditTools;
  /** Set if the agent uses a command as the title of a permission request exactly when it asks to run that command. */
  readonly titlesCommands?: true;
  /** Set if the agent can't create a file if the editor answers that the file doesn't exist (google-gemini/gemini-cli#9280). */
  readonly failsOnMissingFiles?: true;
  /** Set if the agent asks the editor to write allowed edits, and also writes to disk without waiting for the editor. */
  readonly writesBesideEditor?: true;
  readonly toolsOff?: ToolsOff;
  /** Starts from project files. Absent if the agent starts nothing from a folder before the user trusts that folder in the agent. */
  readonly projectStarts?: ProjectStarts;
  readonly sandbox?: SandboxNeeds;
  readonly hosts?: AgentHosts;
  /** Whether the agent asks for permission in its first mode and with its default settings. Absent if unknown. */
  readonly asksFirst?: { readonly Bash: Asks; readonly Edit: Asks };
  /** Mechanism for denial rules. Absent if the agent supports none, or reads them only from the user's own files. */
  readonly nativeRules?: NativeRules;
}

/** `writes`: asks unless the agent considers the call read-only. */
type Asks = "always" | "writes" | "never";

interface SignInTraces {
  readonly variables: readonly string[];
  /** Files that the agent's sign-in creates, with `/` separators. Symposium only checks that they exist. */
  readonly files: readonly {
    readonly folderIn?: string;
    /** Folder, relative to the user's home, that is used if the variable `folderIn` isn't set. */
    readonly folder: string;
    readonly name: string;
  }[];
}

/** Built-in editing tools that an agent can disable for a session. */
export interface EditTools {
  /** Matches the names, sent in `initialize`, of the programs that support the option. */
  readonly of: RegExp;
  readonly names: readonly string[];
  readonly leftOutAt: readonly [string, ...string[]];
}

/** Settings that disable an agent's built-in tools for one process. */
export interface ToolsOff {
  /** npm package that provides the agent's program. */
  readonly npmPackage: string;
  readonly agent: {
    /** Whether these settings disable all built-in tools. */
    readonly hasNoTools: boolean;
    readonly notice?: RegExp;
  };
  readonly env?: Readonly<Record<string, string>>;
  /** Environment variable with a JSON object. `members` are merged into the user's value. */
  readonly config?: { readonly variable: string; readonly members: (own: Members, server: string) => Members };
  /**
   * Returns arguments to add after the user's arguments. `server` is the MCP server whose tools stay enabled; `file` is the path of {@link
   * file}.
   */
  readonly args?: (given: { readonly file: string; readonly server: string }) => readonly string[];
  readonly file?: string;
}

/** In OpenCode the last matching rule wins, so a separate agent protects these rules from the user's rules for other agents. */
const opencodeAgent = "symposium-editor-tools";

const qwenTools = [
  "agent",
  "artifact",
  "ask_user_question",
  "display_image",
  "enter_plan_mode",
  "enter_worktree",
  "exec",
  "exit_plan_mode",
  "exit_worktree",
  "get_goal",
  "image_gen",
  "list_agents",
  "propose_goal",
  "record_artifact",
  "record_source",
  "report_findings",
  "send_message",
  "skill",
  "task_create",
  "task_list",
  "task_stop",
  "task_update",
  "team_create",
  "tool_call",
  "tool_search",
  "update_goal",
  "workflow",
];

const codexFeatures = [
  "apps",
  "goals",
  "image_generation",
  "multi_agent",
  "plugins",
  "shell_tool",
  "sleep_tool",
  "tool_suggest",
  "unified_exec",
  "view_image",
];

/** Known agents, sorted by display order. */
export const agentTable: readonly AgentRow[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    description: "Anthropic's coding agent",
    needs: "Node.js 22 or newer, and a Claude subscription or an Anthropic API key",
    program: "claude-agent-acp",
    args: [],
    npmPackage: "@agentclientprotocol/claude-agent-acp",
    downloadMegabytes: 80,
    isListedAlways: true,
    aliases: ["claude-acp", "zed-claude-code"],
    signInTraces: {
      variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
      files: [{ folderIn: "CLAUDE_CONFIG_DIR", folder: ".claude", name: ".credentials.json" }],
    },
    says: { name: /\bclaude\b/i, capability: "claudeCode" },
    forksAtMessageSince: "0.71.0",
    takesSystemPromptInMeta: true,
    deferredTools: "named",
    projectStarts: claudeStarts,
    editTools: {
      of: /^@(?:agentclientprotocol|zed-industries)\/claude-(?:agent|code)-acp$/,
      names: ["Write", "Edit", "MultiEdit"],
      leftOutAt: ["_meta", "claudeCode", "options", "disallowedTools"],
    },
    sandbox: claudeSandbox,
    hosts: claudeHosts,
    asksFirst: { Bash: "writes", Edit: "always" },
    nativeRules: claudeRules,
  },
  {
    id: "gemini-cli",
    name: "Gemini CLI",
    description: "Google's coding agent",
    needs: "a Gemini API key",
    program: "gemini",
    args: ["--acp"],
    npmPackage: "@google/gemini-cli",
    downloadMegabytes: 22,
    isListedAlways: true,
    aliases: ["gemini"],
    signInTraces: { variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"], files: [] },
    says: { name: /^gemini-cli$/ },
    failsOnMissingFiles: true,
    titlesCommands: true,
    toolsOff: {
      npmPackage: "@google/gemini-cli",
      agent: { hasNoTools: true },
      args: ({ file, server }) => [`--admin-policy=${file}`, `--allowed-mcp-server-names=${server}`],
      // Gemini CLI reads server names only up to the first underscore, so a rule can't name Symposium's server.
      file: [
        ...["[[rule]]", 'toolName = "*"', 'decision = "deny"', "priority = 998", ""],
        ...["[[rule]]", 'toolName = "*"', 'mcpName = "*"', 'decision = "allow"', "priority = 999", ""],
      ].join("\n"),
    },
    sandbox: geminiSandbox,
    hosts: geminiHosts,
    asksFirst: { Bash: "writes", Edit: "always" },
    nativeRules: geminiRules,
  },
  {
    id: "codex",
    name: "Codex",
    description: "OpenAI's coding agent",
    needs: "a ChatGPT subscription or an OpenAI API key",
    program: "codex-acp",
    args: [],
    npmPackage: "@agentclientprotocol/codex-acp",
    downloadMegabytes: 175,
    isListedAlways: true,
    aliases: ["codex-acp"],
    signInTraces: {
      variables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
      files: [{ folderIn: "CODEX_HOME", folder: ".codex", name: "auth.json" }],
    },
    says: { name: /\/codex-acp$/ },
    forksAtMessageSince: "2.6.0",
    deferredTools: "unnamed",
    projectStarts: codexStarts,
    toolsOff: {
      npmPackage: "@agentclientprotocol/codex-acp",
      // OpenAI models still have the patch tool; in read-only mode Codex asks before applying patches.
      agent: { hasNoTools: false },
      env: { INITIAL_AGENT_MODE: "read-only" },
      config: {
        variable: "CODEX_CONFIG",
        members: ({ features }) => ({
          web_search: "disabled",
          features: { ...asObject(features), ...Object.fromEntries(codexFeatures.map((feature) => [feature, false])) },
        }),
      },
    },
    sandbox: codexSandbox,
    hosts: codexHosts,
    asksFirst: { Bash: "never", Edit: "never" },
    nativeRules: codexRules,
  },
  {
    id: "kiro-cli",
    name: "Kiro CLI",
    description: "AWS's coding agent",
    needs: "an AWS Builder ID or a Kiro subscription",
    program: "kiro-cli-chat",
    args: ["acp"],
    isListedAlways: true,
  },
  {
    id: "opencode",
    name: "OpenCode",
    description: "an open coding agent for many models",
    needs: "a model provider configured in the agent",
    program: "opencode",
    args: ["acp"],
    signInTraces: {
      variables: [],
      files: [{ folderIn: "XDG_DATA_HOME", folder: ".local/share", name: "opencode/auth.json" }],
    },
    says: { name: /^OpenCode$/ },
    sharesServers: true,
    writesBesideEditor: true,
    projectStarts: opencodeStarts,
    toolsOff: {
      npmPackage: "opencode-ai",
      agent: { hasNoTools: true },
      config: {
        variable: "OPENCODE_CONFIG_CONTENT",
        members: ({ agent }, server) => ({
          default_agent: opencodeAgent,
          agent: {
            ...asObject(agent),
            [opencodeAgent]: { mode: "primary", permission: { "*": "deny", [`${server}_*`]: "allow" } },
          },
        }),
      },
    },
    sandbox: opencodeSandbox,
    hosts: opencodeHosts,
    asksFirst: { Bash: "never", Edit: "never" },
    nativeRules: opencodeRules,
  },
  {
    id: "qwen-code",
    name: "Qwen Code",
    description: "Alibaba's coding agent",
    needs: "a Qwen account or an API key for an OpenAI-compatible service",
    program: "qwen",
    args: ["--acp"],
    listsServerPrompts: true,
    signInTraces: { variables: ["DASHSCOPE_API_KEY"], files: [{ folder: ".qwen", name: "oauth_creds.json" }] },
    says: { name: /^qwen-code$/ },
    deferredTools: "unnamed",
    toolsOff: {
      npmPackage: "@qwen-code/qwen-code",
      agent: { hasNoTools: true },
      // An empty list of core tools would enable all core tools.
      args: ({ server }) => [
        "--core-tools=none",
        `--exclude-tools=${qwenTools.join(",")}`,
        `--allowed-mcp-server-names=${server}`,
      ],
    },
    sandbox: qwenSandbox,
    hosts: qwenHosts,
    asksFirst: { Bash: "never", Edit: "never" },
    nativeRules: qwenRules,
  },
  {
    id: "github-copilot",
    name: "GitHub Copilot CLI",
    description: "GitHub's coding agent",
    needs: "a GitHub Copilot subscription",
    program: "copilot",
    args: ["--acp"],
    aliases: ["github-copilot-cli"],
    says: { name: /^copilot$/i },
    dropsResources: true,
    dropsStdioServers: true,
    signInTraces: { variables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"], files: [] },
    toolsOff: {
      npmPackage: "@github/copilot",
      agent: { hasNoTools: true, notice: /^Info: Disabled tools: [\w, -]+$/ },
      args: ({ server }) => [`--available-tools=${server}`],
    },
    sandbox: copilotSandbox,
    hosts: copilotHosts,
    asksFirst: { Bash: "writes", Edit: "always" },
    nativeRules: copilotRules,
  },
  {
    id: "goose",
    name: "Goose",
    description: "an open agent for many models",
    needs: "a model provider configured in the agent",
    program: "goose",
    args: ["acp"],
    signInTraces: {
      variables: ["GOOSE_PROVIDER"],
      files: [{ folderIn: "XDG_CONFIG_HOME", folder: ".config", name: "goose/config.yaml" }],
    },
  },
  {
    id: "auggie",
    name: "Auggie",
    description: "Augment Code's coding agent",
    needs: "an Augment account, signed in from a terminal",
    program: "auggie",
    args: ["--acp"],
    signInTraces: { variables: ["AUGMENT_SESSION_AUTH"], files: [{ folder: ".augment", name: "session.json" }] },
  },
  {
    id: "cursor-agent",
    name: "Cursor Agent",
    description: "Cursor's coding agent",
    needs: "a Cursor account",
    program: "cursor-agent",
    args: ["acp"],
    aliases: ["cursor"],
    signInTraces: { variables: ["CURSOR_API_KEY"], files: [] },
  },
];
