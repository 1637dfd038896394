import type { InitializedAgent } from "../conductor/client/initialized-agent.js";
import type { McpServerEntry } from "../base/mcp/mcp-server-entry.js";
import type { McpServer } from "../base/mcp/mcp-server.js";
import type { ProjectSettings } from "../settings/project/project-settings.js";
import type { AgentRow } from "../agents/registry/agent-table.js";
import type { Members } from "../base/rpc/json.js";
import type { ServerSession } from "./servers/expanded-launch.js";
import type { AskedPermission } from "./servers/inner-calls.js";

/** A session being opened, as context sources see it. */
export interface ContextSession extends ServerSession {
  /** Whether the session starts without a conversation; false if it is loaded, resumed or forked. */
  readonly isNew: boolean;
  /** `_meta` of the request that opens the session; empty if missing. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly agent: InitializedAgent;
  /** Known facts about the agent; undefined for an unknown agent. */
  readonly row: AgentRow | undefined;
  readonly project: ProjectSettings;
  /** MCP servers that the editor and other proxies gave to the session. Unreadable entries are omitted. */
  readonly editorServers: readonly McpServerEntry[];
}

/** Adds servers, rules, skills or commands to sessions. */
export interface ContextSource {
  /** The source's unique name. The page about an agent's context shows this name. */
  readonly name: string;
  /** Called while the agent starts, to load data for the first session. Never throws. */
  prepare?(): void;
  /**
   * Called before the agent opens a session, which waits for the result. A rejection is logged and the session opens without this source.
   */
  open(session: ContextSession): Promise<Contribution>;
}

export interface Contribution {
  readonly servers?: readonly McpServer[];
  /** Names of the editor's MCP servers ({@link ContextSession.editorServers}) that `servers` replaces. */
  readonly replaces?: readonly string[];
  readonly instructions?: readonly Instruction[];
  /**
   * Instructions for certain files. Each instruction is sent once: with a prompt that names a matching file, or with the next prompt after
   * the agent touched a matching file.
   */
  readonly fileInstructions?: readonly FileInstruction[];
  /** Texts for the first prompt. They are sent there even if the agent accepts instructions in its system prompt. */
  readonly firstPrompt?: readonly FirstPromptText[];
  readonly commands?: CommandList;
  readonly calls?: ToolCallView;
  /** Returns text to add to a prompt that contains the user's `texts`; undefined adds nothing. Not called for slash commands. */
  remark?(texts: readonly string[]): string | undefined;
  /** Called after the agent opened the session. Sources should start background work here, so that the work doesn't delay the session. */
  opened?(): void;
}

/** Text for the agent's model. Sent in the system prompt if the agent supports that, otherwise in the first prompt. */
export interface Instruction {
  /** Title for users, for example a file path below the session's folder. */
  readonly title: string;
  readonly text: string;
  /** Whether the text is from the user's own file. The title can't prove this, since a project can choose its paths freely. */
  readonly isUsers?: boolean;
}

/** Background information for the agent's model at the start of a conversation; not an instruction. */
export interface FirstPromptText {
  readonly title: string;
  /** Address of the text as a separate resource, for agents that support resources. Starts with `symposium://`. */
  readonly uri?: string;
  /** Reads the text. Called with the first prompt, which waits for the text; undefined adds nothing. A rejection is logged. */
  read(): Promise<string | undefined>;
}

export interface FileInstruction extends Instruction {
  /** Whether the instruction applies to the file. `path` is absolute. */
  concerns(path: string): boolean;
}

/** Changes how the editor shows a session's tool calls and permission requests. */
export interface ToolCallView {
  /** Called when a prompt turn in the session starts or ends. */
  turn(isRunning: boolean): void;
  /**
   * Returns the changed tool call (ACP `ToolCall` or `ToolCallUpdate`) to show in the editor; undefined leaves the tool call unmodified.
   */
  shown(toolCall: Members): Members | undefined;
  /** Returns the changed permission request; undefined leaves the request unmodified. */
  asked(params: Members): AskedPermission | undefined;
}

export interface CommandList {
  current(): readonly SlashCommand[];
  subscribe?(listener: () => void): Disposable;
}

/** A slash command that Symposium handles by replacing the user's text with a prompt. */
export interface SlashCommand {
  /** Name without the slash. */
  readonly name: string;
  readonly description: string;
  /** Description of the command's argument for users; undefined if the command takes no argument. */
  readonly hint?: string;
  /**
   * Returns the ACP content blocks of the prompt that replaces the command. If the promise rejects, the user sees the reason and the turn
   * ends.
   */
  expand(argumentText: string, signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]>;
}
