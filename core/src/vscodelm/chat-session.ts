import type { ToolResult } from "../mcp/tool-server.js";
import { messageOf } from "../base/symposium-error.js";
import type { Logger } from "../base/logger.js";
import type { AgentConnection, OpenedSession, SessionListener, SessionSetup } from "../model/agent-connection.js";
import type { CallTool } from "../model/called-tool.js";
import { type ContentBlock, textBlock } from "../model/content-block.js";
import type { MessagePart } from "../model/conversation-message.js";
import { ModelFailure } from "../model/model-failure.js";
import { ownToolOf } from "../model/own-tool.js";
import { SessionHistory } from "../model/session-history.js";
import { ToldTurns } from "../model/told-turns.js";
import { ToolBridge } from "../model/tool-bridge.js";
import { isDoneWithin } from "../base/until-aborted.js";
import { asObject } from "../rpc/json.js";
import type { TurnPhase } from "../model/turn-state.js";
import { instructionBlock } from "./prompt-blocks.js";
import type { ResponseRequest } from "./read-params.js";
import type { RoutableSession } from "./route.js";
import { type AskUser, SessionPermissions } from "./session-permissions.js";
import { agentActionTool } from "./wire.js";

/** The MCP server under which agents find the editor's tools. */
export const editorToolsName = "vscode_tools";

/** How long an agent may take to end a turn that was given up. */
const cancelGraceMs = 5_000;

/** The key of `configOptions` that stands for the request by which agents without config options choose a model. */
export const setModelKey = "session/set_model";

export interface ChatSessionOptions {
  readonly connection: AgentConnection;
  /** See `RoutableSession`. */
  readonly home: string;
  /** The working folder; absolute. */
  readonly cwd: string;
  readonly version: string;
  readonly logger: Logger;
}

/** How full the agent's context is, in tokens, as it says. */
export interface ContextUse {
  readonly used: number;
  readonly size: number;
}

/** One session of an agent, as a conversation of the editor uses it. */
export class ChatSession implements RoutableSession {
  readonly home: string;
  readonly conversationId: string | undefined;
  readonly initiator: string | undefined;
  readonly hasBridge: boolean;
  readonly broughtTools: boolean;
  readonly history = new SessionHistory();
  readonly turns: ToldTurns;
  readonly connection: AgentConnection;
  isTaken = true;
  /** Whether it is no part of any conversation, and the first to be closed. */
  isAside = false;
  /** Milliseconds since 1970. */
  usedAt = 0;
  /** By whom the user can be asked; there only while a request listens. */
  askUser: AskUser | undefined;
  contextUse: ContextUse | undefined;
  /** Words of the user that wait for a result to go with, or for the end of the turn. */
  owed: readonly MessagePart[] = [];
  readonly #bridge: ToolBridge;
  readonly #permissions: SessionPermissions;
  readonly #isRaw: boolean;
  #opened: OpenedSession | undefined;
  #offersAction = false;
  #systemText = "";
  #configOptions: Readonly<Record<string, string>> = {};
  #isIntroduced = false;

  private constructor(
    private readonly options: ChatSessionOptions,
    request: ResponseRequest,
  ) {
    const { connection, home, logger, version } = options;
    this.connection = connection;
    this.home = home;
    this.conversationId = request.conversationId;
    this.initiator = request.initiator;
    this.hasBridge = offeredTools(request).length > 0;
    this.broughtTools = request.tools.length > 0;
    this.#isRaw = request.exposure === "raw";
    this.#bridge = new ToolBridge({
      name: editorToolsName,
      version,
      instructions:
        "Tools of the editor that the user works in. The editor runs them, shows what they do and asks the user itself.",
      isForClaude: connection.traits.isClaude,
      call: (...call) => this.#callTool(...call),
      onLeftOut: (name, reason) => logger.warn("a tool cannot be offered", { tool: name, reason }),
    });
    const key = crypto.randomUUID().replaceAll("-", "").slice(0, 16);
    this.turns = new ToldTurns({
      key,
      cancel: () => {
        this.#permissions.giveUp();
        connection.cancel(this.sessionId);
      },
      habits: connection.habits,
      ownTool: (toolCall) => ownToolOf(toolCall, editorToolsName, this.#bridge.aliases),
    });
    this.#permissions = new SessionPermissions(this.turns, () => ({
      refusesAll: this.#isRaw,
      offersAction: this.#offersAction,
      askUser: this.askUser,
    }));
    this.offer(request);
  }

  /** Opens a session for a request, as a fork of another one where that is given. Rejects with a `ModelFailure`. */
  static async open(options: ChatSessionOptions, request: ResponseRequest, forked?: ChatSession): Promise<ChatSession> {
    const session = new ChatSession(options, request);
    const { connection } = options;
    const listener: SessionListener = {
      update: (update) => session.#update(update),
      permission: (params, answer) => session.#permissions.request(params, answer),
    };
    const setup = session.#setup(request, connection);
    session.#opened = forked
      ? await connection.forkSession(forked.sessionId, listener, setup)
      : await connection.openSession(listener, setup);
    if (forked) session.#isIntroduced = true;
    return session;
  }

  get sessionId(): string {
    return this.#opened?.sessionId ?? "";
  }

  /** The result of the request that opened it. */
  get openingResult(): Readonly<Record<string, unknown>> {
    return this.#opened?.result ?? {};
  }

  get phase(): TurnPhase {
    return this.turns.phase;
  }

  isWaitingFor(callId: string): boolean {
    return this.turns.isWaitingFor(callId) || this.turns.givenUp(callId) !== undefined;
  }

  /** Offers the request's tools from now on. */
  offer(request: ResponseRequest): void {
    this.#offersAction = request.tools.some(({ name }) => name === agentActionTool);
    this.#bridge.offer(offeredTools(request));
  }

  /** A request listens from now on, by which the user can be asked. */
  listen(askUser: AskUser): void {
    this.askUser = askUser;
    this.#permissions.ask(askUser);
  }

  /** Chooses what the request's model is made of. Rejects with a `ModelFailure` that names the option. */
  async configure(configOptions: Readonly<Record<string, string>>): Promise<void> {
    for (const [configId, value] of Object.entries(configOptions)) {
      if (this.#configOptions[configId] === value) continue;
      const { sessionId } = this;
      const isModel = configId === setModelKey;
      try {
        await (isModel
          ? this.connection.request(setModelKey, { sessionId, modelId: value })
          : this.connection.request("session/set_config_option", { sessionId, configId, value }));
      } catch (failure) {
        throw new ModelFailure(
          "agent-failed",
          `The agent does not take "${value}" for "${configId}": ${messageOf(failure)} Choose another model.`,
        );
      }
      this.#configOptions = { ...this.#configOptions, [configId]: value };
      // What was said of it was another model's.
      this.contextUse = undefined;
    }
  }

  /** What a prompt begins with: the mode that the session is in, and the system's words where the agent lacks them. */
  introduction(request: ResponseRequest): readonly ContentBlock[] {
    const blocks: ContentBlock[] = [];
    if (!this.#isIntroduced && this.#isRaw && !this.#hasNoTools) {
      blocks.push(
        textBlock(
          `Work with the tools of the MCP server ${editorToolsName} alone: your own tools are refused in this conversation.`,
        ),
      );
    }
    const isNew = request.systemText !== this.#systemText && request.systemText !== "";
    if (isNew && request.systemPromptUse !== "drop") blocks.push(instructionBlock(request.systemText));
    this.#systemText = request.systemText;
    this.#isIntroduced = true;
    const names = offeredTools(request).map(({ name }) => name);
    if (request.isToolRequired && names.length > 0) {
      blocks.push(textBlock(`Answer this by calling one of these tools: ${names.join(", ")}.`));
    }
    return blocks;
  }

  /** Gives an open turn up; whether the agent ended it in time. */
  async abandon(): Promise<boolean> {
    this.turns.cancel();
    return this.phase !== "ending" || isDoneWithin(this.turns.ended, cancelGraceMs);
  }

  /** Ends the session: its turn first, within bounds. */
  async close(): Promise<void> {
    await this.abandon();
    await this.connection.close(this.sessionId);
    // An agent that cannot close sessions keeps the server, and editors have hundreds of tools.
    this.#bridge.offer([]);
  }

  /** Whether the agent's own tools are off, so that it need not be asked to leave them alone. */
  get #hasNoTools(): boolean {
    const { bare, traits } = this.connection;
    return traits.isClaude || bare?.hasNoTools === true;
  }

  #setup(request: ResponseRequest, { traits }: AgentConnection): SessionSetup {
    const isAppended =
      request.systemPromptUse === "append" && request.systemText !== "" && traits.systemPrompt !== undefined;
    const appended = isAppended ? request.systemText : undefined;
    // What the agent has been told this way need not stand in the prompt.
    if (appended !== undefined) this.#systemText = appended;
    const meta = {
      ...(this.#isRaw && { disableBuiltInTools: true }),
      ...(this.#isRaw && traits.isClaude && { claudeCode: { options: { strictMcpConfig: true } } }),
      ...(appended !== undefined && traits.systemPrompt === "claude" && { systemPrompt: { append: appended } }),
    };
    return {
      cwd: this.options.cwd,
      server: this.hasBridge ? this.#bridge : undefined,
      members: {
        ...(appended !== undefined &&
          traits.systemPrompt === "session" && { systemPrompt: { mode: "append", content: [textBlock(appended)] } }),
        ...(Object.keys(meta).length > 0 && { _meta: meta }),
      },
    };
  }

  #update(update: Readonly<Record<string, unknown>>): void {
    const { sessionUpdate, used, size } = update;
    if (this.#isNotice(update)) return;
    if (sessionUpdate !== "usage_update") this.turns.update(update);
    else if (typeof used === "number" && typeof size === "number") this.contextUse = { used, size };
  }

  /** Whether the agent only says what it was started without. */
  #isNotice({ sessionUpdate, content }: Readonly<Record<string, unknown>>): boolean {
    const text = sessionUpdate === "agent_message_chunk" ? asObject(content)?.["text"] : undefined;
    return typeof text === "string" && this.connection.bare?.notice?.test(text) === true;
  }

  async #callTool(...call: Parameters<CallTool>): Promise<ToolResult | string> {
    const outcome = await this.turns.call(...call);
    if (outcome.kind === "result") return outcome.result;
    if (outcome.kind === "missing") return "The editor gave no result for this call.";
    throw new Error("The user has given this up.");
  }
}

/** The editor's tools that the agent may use. */
export function offeredTools({ tools, exposure }: ResponseRequest): ResponseRequest["tools"] {
  return exposure === "agent" ? [] : tools.filter(({ name }) => name !== agentActionTool);
}
