import { asObject, type Members } from "../../base/rpc/json.js";
import {
  type AgentHosts,
  claudeHosts,
  codexHosts,
  copilotHosts,
  geminiHosts,
  opencodeHosts,
  qwenHosts,
} from "./agent-hosts.js";
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

/** All that this product knows of one agent without asking anybody. */
export interface AgentRow {
  /** Short and stable, such as `gemini-cli`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** One phrase for people. */
  readonly description: string;
  /** What the user must have, as a phrase that follows "needs". */
  readonly needs: string;
  /** Looked up on PATH. */
  readonly program: string;
  readonly args: readonly string[];
  /** The npm package that brings the program; it is used where the program is not on PATH. */
  readonly npmPackage?: string;
  /** About what installing the package downloads with all that it needs, in megabytes. */
  readonly downloadMegabytes?: number;
  /** On every machine; all others where their program is on PATH. */
  readonly isListedAlways?: boolean;
  /** Other names under which it is asked for, and published. */
  readonly aliases?: readonly string[];
  readonly signInTraces?: SignInTraces;
  /** What it says in its answer to `initialize`: its name, or a capability in `_meta`. */
  readonly says?: { readonly name: RegExp; readonly capability?: string };
  /** Its sessions have one set of MCP servers, by their names: then two sessions get each other's calls. */
  readonly sharesServers?: boolean;
  /** Its model does not see embedded resources of prompts, though it says that it takes them. */
  readonly dropsResources?: boolean;
  /** The first version that we know to fork a session at a message of the agent's, by `_meta`. */
  readonly forksAtMessageSince?: string;
  /** It leaves out the MCP servers of its client that are programs, and says so to nobody. */
  readonly dropsStdioServers?: boolean;
  /** It has the prompts of its MCP servers among its slash commands. */
  readonly listsServerPrompts?: boolean;
  /** A new session takes a `systemPrompt` in `_meta`. */
  readonly takesSystemPromptInMeta?: boolean;
  /**
   * Its model gets the tools of MCP servers only once it looks for them, and until then their names, or nothing of them;
   * absent for agents that offer every tool.
   */
  readonly deferredTools?: "named" | "unnamed";
  readonly editTools?: EditTools;
  /** Set where a permission request has a command as its title, and nowhere else. */
  readonly titlesCommands?: true;
  /** Set where it has the editor write a file that the user has allowed, and writes the disk itself without waiting for that. */
  readonly writesBesideEditor?: true;
  readonly toolsOff?: ToolsOff;
  /** Absent where it starts nothing of a folder before its user has trusted that, in its own way. */
  readonly projectStarts?: ProjectStarts;
  readonly sandbox?: SandboxNeeds;
  readonly hosts?: AgentHosts;
  /** Absent where it takes no denials, or only from its user's own files. */
  readonly nativeRules?: NativeRules;
}

/** What shows that somebody has signed in to an agent, by name alone: nothing of it is read. Key stores are not looked at. */
interface SignInTraces {
  /** Environment variables that hold a key. */
  readonly variables: readonly string[];
  /** Files that the agent's own sign-in leaves, with `/` between the names. */
  readonly files: readonly {
    /** The variable that names the folder. */
    readonly folderIn?: string;
    /** The folder, below the user's own, where that variable is not set. */
    readonly folder: string;
    readonly name: string;
  }[];
}

/** An agent's own tools that change files, which a session can be opened without. */
export interface EditTools {
  /** The names, as said in `initialize`, of the programs that take the option. */
  readonly of: RegExp;
  readonly names: readonly string[];
  /** Where the parameters that open a session have the list of tools to leave out. */
  readonly leftOutAt: readonly [string, ...string[]];
}

/** What switches an agent's own tools off, for its process alone. */
export interface ToolsOff {
  /** The npm package that brings its program. */
  readonly npmPackage: string;
  readonly agent: {
    /** Whether it has no tool of its own then. */
    readonly hasNoTools: boolean;
    /** What it says in its answers of the tools that it lacks. */
    readonly notice?: RegExp;
  };
  readonly env?: Readonly<Record<string, string>>;
  /** A variable with a JSON object: what is in it of the user's own stays, beside these members. */
  readonly config?: { readonly variable: string; readonly members: (own: Members, server: string) => Members };
  /** Follow the user's own. `server` is the MCP server whose tools stay, `file` the path of {@link file}. */
  readonly args?: (given: { readonly file: string; readonly server: string }) => readonly string[];
  /** The content of a file that it reads. */
  readonly file?: string;
}

/** OpenCode's rules count by their order, so that what users say of its own agents decides nothing in one of ours. */
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

/** In the order in which they are listed. */
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
    titlesCommands: true,
    toolsOff: {
      npmPackage: "@google/gemini-cli",
      agent: { hasNoTools: true },
      args: ({ file, server }) => [`--admin-policy=${file}`, `--allowed-mcp-server-names=${server}`],
      // It reads a server's name up to the first underscore, so that ours cannot be named.
      file: [
        ...["[[rule]]", 'toolName = "*"', 'decision = "deny"', "priority = 998", ""],
        ...["[[rule]]", 'toolName = "*"', 'mcpName = "*"', 'decision = "allow"', "priority = 999", ""],
      ].join("\n"),
    },
    sandbox: geminiSandbox,
    hosts: geminiHosts,
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
      // Patches stay with OpenAI's models: in this mode it asks before it applies them.
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
    needs: "a model provider set up in it",
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
    nativeRules: opencodeRules,
  },
  {
    id: "qwen-code",
    name: "Qwen Code",
    description: "Alibaba's coding agent",
    needs: "a Qwen account or the key of an OpenAI-compatible service",
    program: "qwen",
    args: ["--acp"],
    listsServerPrompts: true,
    signInTraces: { variables: ["DASHSCOPE_API_KEY"], files: [{ folder: ".qwen", name: "oauth_creds.json" }] },
    says: { name: /^qwen-code$/ },
    deferredTools: "unnamed",
    toolsOff: {
      npmPackage: "@qwen-code/qwen-code",
      agent: { hasNoTools: true },
      // An empty list of core tools would stand for all.
      args: ({ server }) => [
        "--core-tools=none",
        `--exclude-tools=${qwenTools.join(",")}`,
        `--allowed-mcp-server-names=${server}`,
      ],
    },
    sandbox: qwenSandbox,
    hosts: qwenHosts,
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
    nativeRules: copilotRules,
  },
  {
    id: "goose",
    name: "Goose",
    description: "an open agent for many models",
    needs: "a model provider set up in it",
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
