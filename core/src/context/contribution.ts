import type { InitializedAgent } from "../conductor/client/initialized-agent.js";
import type { McpServerEntry } from "../base/mcp/mcp-connection.js";
import type { McpServer } from "../base/mcp/mcp-server.js";
import type { ProjectSettings } from "../settings/project/project-settings.js";
import type { AgentRow } from "../agents/registry/agent-table.js";
import type { Members } from "../base/rpc/json.js";
import type { ServerSession } from "./servers/expanded-launch.js";
import type { AskedPermission } from "./servers/inner-calls.js";

/** A session that is being opened, as those see it who add to its context. */
export interface ContextSession extends ServerSession {
  /** Whether it begins without a conversation: one that is loaded, resumed or forked has one. */
  readonly isNew: boolean;
  /** `_meta` of the request that opens it; empty where it has none. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly agent: InitializedAgent;
  /** What is known of that agent; undefined for one that nobody knows. */
  readonly row: AgentRow | undefined;
  readonly project: ProjectSettings;
  /** The MCP servers that the session has already, of the editor and of other proxies; what cannot be read is not here. */
  readonly editorServers: readonly McpServerEntry[];
}

/** Adds to the context of sessions: servers, rules, skills, commands. */
export interface ContextSource {
  /** Unique; for the page that shows what an agent gets. */
  readonly name: string;
  /** Called while the agent starts: loads what the first session needs. Never throws. */
  prepare?(): void;
  /** Called before the agent is asked to open a session, which waits for it. What it rejects with is logged; the session opens without it. */
  open(session: ContextSession): Promise<Contribution>;
}

/** What one source adds to one session. */
export interface Contribution {
  readonly servers?: readonly McpServer[];
  /** The names of the session's servers, of {@link ContextSession.editorServers}, that the agent does not get: `servers` has them. */
  readonly replaces?: readonly string[];
  readonly instructions?: readonly Instruction[];
  /** Each is sent once, with the prompt that names a file that it concerns, or with the next one after the agent has touched such a file. */
  readonly fileInstructions?: readonly FileInstruction[];
  /** The first prompt brings each, also to an agent that takes instructions in its system prompt. */
  readonly firstPrompt?: readonly FirstPromptText[];
  readonly commands?: CommandList;
  readonly calls?: ToolCallView;
  /** What a prompt brings besides, by the texts of its user; undefined for nothing. Prompts that are slash commands bring none. */
  remark?(texts: readonly string[]): string | undefined;
  /** Called once the agent has opened the session: what nobody waits for begins then, so that it delays nobody. */
  opened?(): void;
}

/** Text for the agent's model: in its system prompt where it takes one, else in the first prompt of the session. */
export interface Instruction {
  /** For people, such as the path of a file below the session's folder. */
  readonly title: string;
  readonly text: string;
  /** Whether it is from a file of the user's own: a project may give its paths any look. */
  readonly isUsers?: boolean;
}

/** Text for the agent's model that is no instruction: what it should know when a conversation begins. */
export interface FirstPromptText {
  /** For people. */
  readonly title: string;
  /** The address under which it is a resource of its own, for agents that take resources; it begins with `symposium://`. */
  readonly uri?: string;
  /** Called when the prompt comes, which waits for it; undefined for nothing. What it rejects with is logged. */
  read(): Promise<string | undefined>;
}

/** An instruction that concerns certain files alone. */
export interface FileInstruction extends Instruction {
  /** Whether it concerns the file at this path, which is absolute. */
  concerns(path: string): boolean;
}

/** Shows the editor tool calls of a session otherwise than the agent does, and so asks for permissions. */
export interface ToolCallView {
  /** A prompt turn of the session begins or ends. */
  turn(isRunning: boolean): void;
  /** A tool call (ACP `ToolCall` or `ToolCallUpdate`) as the editor is to see it; undefined where nothing changes. */
  shown(toolCall: Members): Members | undefined;
  /** What becomes of a permission request: undefined where nothing changes. */
  asked(params: Members): AskedPermission | undefined;
}

/** Slash commands of a session, which may change while it is open. */
export interface CommandList {
  current(): readonly SlashCommand[];
  /** Calls `listener` after each change. */
  subscribe?(listener: () => void): Disposable;
}

/** A slash command that this process answers, by what it puts in place of the user's words. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** What its argument is, for people; absent for a command that takes none. */
  readonly hint?: string;
  /** The content blocks of the prompt, as ACP has them. A rejection is shown to the user in place of a turn. */
  expand(argumentText: string, signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]>;
}
