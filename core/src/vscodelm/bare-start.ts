import type { BareAgent } from "../model/agent-connection.js";
import { asObject } from "../rpc/json.js";
import type { Command } from "../settings/command.js";
import { JsonDocument } from "../settings/json-document.js";

/** The MCP server under which agents find the editor's tools. */
export const editorToolsName = "vscode_tools";

type Members = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string>>;
/** A variable as the agent would get it without us. */
type Given = (name: string) => string | undefined;

/** How an agent is started so that its model gets the editor's tools, and none of the agent's own. */
interface BareStart {
  readonly command: Command;
  readonly agent: BareAgent;
  /** What the command reads, by an absolute path; to be written first. */
  readonly file?: { readonly path: string; readonly content: string };
}

/** What switches an agent's own tools off, for its process alone. */
interface Switch {
  readonly agent: BareAgent;
  /** The program's name, and the npm package that brings it. */
  readonly program: string;
  readonly npmPackage: string;
  /** Joined with what the user has set; undefined where that cannot be read. */
  readonly env?: (given: Given) => Environment | undefined;
  /** Follow the user's own. */
  readonly args?: (file: string) => readonly string[];
  /** What the file in `args` says. */
  readonly content?: string;
}

/** OpenCode's rules count by their order, so that what users say of its own agents decides nothing in one of ours. */
const opencodeAgent = "symposium-editor-tools";

/** Tools that Qwen does not count among those of `--core-tools`; without its search, tools of MCP servers are listed. */
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

/** Gemini's, which Qwen has, too. */
const onlyOurServer = `--allowed-mcp-server-names=${editorToolsName}`;

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

/** Agents that can be started so; Claude is asked when a session begins, and all others by the prompt. */
const switches: readonly Switch[] = [
  {
    program: "opencode",
    npmPackage: "opencode-ai",
    agent: { hasNoTools: true },
    env: (given) =>
      joined("OPENCODE_CONFIG_CONTENT", given, ({ agent }) => ({
        default_agent: opencodeAgent,
        agent: {
          ...asObject(agent),
          [opencodeAgent]: { mode: "primary", permission: { "*": "deny", [`${editorToolsName}_*`]: "allow" } },
        },
      })),
  },
  {
    program: "gemini",
    npmPackage: "@google/gemini-cli",
    agent: { hasNoTools: true },
    args: (file) => [`--admin-policy=${file}`, onlyOurServer],
    // It reads a server's name up to the first underscore, so that ours cannot be named.
    content: [
      ...["[[rule]]", 'toolName = "*"', 'decision = "deny"', "priority = 998", ""],
      ...["[[rule]]", 'toolName = "*"', 'mcpName = "*"', 'decision = "allow"', "priority = 999", ""],
    ].join("\n"),
  },
  {
    program: "qwen",
    npmPackage: "@qwen-code/qwen-code",
    agent: { hasNoTools: true },
    // An empty list of core tools would stand for all.
    args: () => ["--core-tools=none", `--exclude-tools=${qwenTools.join(",")}`, onlyOurServer],
  },
  {
    program: "copilot",
    npmPackage: "@github/copilot",
    agent: { hasNoTools: true, notice: /^Info: Disabled tools: [\w, -]+$/ },
    args: () => [`--available-tools=${editorToolsName}`],
  },
  {
    program: "codex-acp",
    npmPackage: "@agentclientprotocol/codex-acp",
    // Patches stay with OpenAI's models: in this mode it asks before it applies them.
    agent: { hasNoTools: false },
    env: (given) => {
      const config = joined("CODEX_CONFIG", given, ({ features }) => ({
        web_search: "disabled",
        features: { ...asObject(features), ...Object.fromEntries(codexFeatures.map((feature) => [feature, false])) },
      }));
      return config && { ...config, INITIAL_AGENT_MODE: "read-only" };
    },
  },
];

/**
 * The start of an agent without its own tools, where it is one that can be; undefined for all others, and where the user's
 * own configuration in the environment cannot be read. `inherited` is the environment that the process would get,
 * `folder` is an absolute path for a file that the agent may need.
 */
export function bareStart(command: Command, inherited: Given, folder: string): BareStart | undefined {
  const found = switches.find((candidate) => isStartOf(command, candidate));
  if (!found) return undefined;
  const env = found.env ? found.env((name) => command.env[name] ?? inherited(name)) : {};
  if (!env) return undefined;
  const path = `${folder}/${found.program}-policy.toml`;
  return {
    command: { ...command, args: [...command.args, ...(found.args?.(path) ?? [])], env: { ...command.env, ...env } },
    agent: found.agent,
    ...(found.content !== undefined && { file: { path, content: found.content } }),
  };
}

/** Whether a command runs the program, or has npm's package run: by its name, or from where it is installed. */
function isStartOf({ command, args }: Command, { program, npmPackage }: Switch): boolean {
  const [name = ""] = slashed(command).split("/").slice(-1);
  if (name.replace(/\.(?:exe|cmd|bat)$/i, "") === program) return true;
  return [command, ...args]
    .map(slashed)
    .some(
      (word) =>
        word === npmPackage || word.startsWith(`${npmPackage}@`) || word.includes(`/node_modules/${npmPackage}/`),
    );
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** A variable that holds a JSON object, with these members in place of the user's. */
function joined(name: string, given: Given, members: (own: Members) => Members): Environment | undefined {
  const text = given(name)?.trim() ?? "";
  const own = text === "" ? {} : asObject(JsonDocument.parse(text).value);
  return own && { [name]: JSON.stringify({ ...own, ...members(own) }) };
}
