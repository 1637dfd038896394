import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { messageOf } from "../base/symposium-error.js";
import type { Logger } from "../base/logger.js";
import { isDoneWithin } from "../base/until-aborted.js";
import type { AgentLease } from "../conductor/client/agent-pool.js";
import type { AgentSession, PromptTurn } from "../conductor/client/agent-session.js";
import type { ToolResult } from "../base/mcp/tool-server.js";
import { asObject, type Members } from "../base/rpc/json.js";
import {
  type AgentConnection,
  ModelFailure,
  type SessionListener,
  type SessionSetup,
  throwModelFailure,
} from "./agent-connection.js";
import type { MessagePart } from "./conversation-message.js";
import type { ContextUse, ModelRequest } from "./model-request.js";
import { ownToolOf } from "../base/acp/mcp-tool-call.js";
import { instructionBlock, textBlock } from "./prompt-blocks.js";
import { SessionHistory } from "./session-history.js";
import { type AskUser, SessionPermissions } from "./session-permissions.js";
import { SessionTurns } from "./session-turns.js";
import { type CallTool, ToolBridge } from "./tool-bridge.js";
import type { TurnPhase } from "./turn-state.js";

/** Milliseconds that an agent has to end a cancelled turn or close a session. */
const graceMs = 5_000;

/** Key in `configOptions` that selects the model with a `session/set_model` request, for agents without config options. */
export const setModelKey = "session/set_model";

export interface ModelClient {
  readonly name: string;
  readonly version: string;
  /** Noun that refers to the client in texts for agents, such as `editor`. */
  readonly noun: string;
  /** MCP server that offers the client's tools, with instructions for the agent. */
  readonly toolServer: { readonly name: string; readonly instructions: string };
}

interface ModelSessionOptions {
  readonly connection: AgentConnection;
  readonly lease: AgentLease<AgentConnection>;
  readonly client: ModelClient;
  readonly logger: Logger;
}

export class ModelSession {
  /** See `ModelRequest`. */
  readonly sessionKey: string;
  readonly conversationId: string | undefined;
  readonly initiator: string | undefined;
  readonly hasBridge: boolean;
  /** Whether the opening request included tools, callable or not. */
  readonly broughtTools: boolean;
  readonly history = new SessionHistory();
  readonly turns: SessionTurns;
  readonly connection: AgentConnection;
  isTaken = true;
  /** Whether the session belongs to no conversation. Such sessions are closed first. */
  isAside = false;
  /** Milliseconds since 1970. */
  usedAt = 0;
  /** Asks the user; set only while a request is open that can pass on the question. */
  askUser: AskUser | undefined;
  contextUse: ContextUse | undefined;
  /** The user's texts to send with the next tool result, or after the turn. */
  owed: readonly MessagePart[] = [];
  readonly #bridge: ToolBridge;
  readonly #permissions: SessionPermissions;
  /** Whether the agent works only with the client's tools. */
  readonly #isRaw: boolean;
  #permission: Pick<ModelRequest, "permissions" | "permissionTool">;
  #opened: AgentSession<SessionListener> | undefined;
  #turn: PromptTurn | undefined;
  #systemText = "";
  #configOptions: Readonly<Record<string, string>> = {};
  #isIntroduced = false;

  private constructor(
    private readonly options: ModelSessionOptions,
    request: ModelRequest,
  ) {
    const { connection, client, logger } = options;
    const { name, instructions } = client.toolServer;
    this.connection = connection;
    this.sessionKey = request.sessionKey;
    this.conversationId = request.conversationId;
    this.initiator = request.initiator;
    this.hasBridge = request.tools.length > 0;
    this.broughtTools = request.bringsTools;
    this.#isRaw = request.permissions === "client-tools";
    this.#permission = request;
    this.#bridge = new ToolBridge({
      name,
      version: client.version,
      instructions,
      isForClaude: connection.traits.isClaude,
      call: (...call) => this.#callTool(...call),
      onLeftOut: (tool, reason) => logger.warn("a tool can't be offered", { tool, reason }),
    });
    this.turns = new SessionTurns({
      key: crypto.randomUUID().replaceAll("-", "").slice(0, 16),
      cancel: () => {
        this.#permissions.giveUp();
        void this.#turn?.cancel(0);
      },
      habits: connection.habits,
      ownTool: (toolCall) => ownToolOf(toolCall, name, this.#bridge.aliases),
    });
    this.#permissions = new SessionPermissions(this.turns, () => ({
      policy: this.#permission.permissions,
      tool: this.#permission.permissionTool,
      askUser: this.askUser,
    }));
    this.accept(request);
  }

  /** Opens a session for a request, or forks `forked`. Rejects with a `ModelFailure`. */
  static async open(options: ModelSessionOptions, request: ModelRequest, forked?: ModelSession): Promise<ModelSession> {
    const session = new ModelSession(options, request);
    const { connection } = options;
    const listener: SessionListener = {
      update: (update) => session.#update(update),
      permission: (params, answer) => session.#permissions.request(params, answer),
    };
    session.#opened = await connection.openSession(listener, session.#setup(request, connection), forked?.sessionId);
    if (forked) session.#isIntroduced = true;
    return session;
  }

  get sessionId(): string | undefined {
    return this.#opened?.id;
  }

  get openingResult(): Members {
    return this.#opened?.opened ?? {};
  }

  get phase(): TurnPhase {
    return this.turns.phase;
  }

  /** Returns whether the turn continues with the call's result, even if the agent has cancelled the call. */
  isWaitingFor(callId: string): boolean {
    return this.turns.isWaitingFor(callId) || this.turns.givenUp(callId) !== undefined;
  }

  accept(request: ModelRequest): void {
    const { permissions, permissionTool } = request;
    this.#permission = { permissions, permissionTool };
    this.#bridge.setTools(request.tools);
  }

  listen(askUser: AskUser | undefined): void {
    this.askUser = askUser;
    if (askUser) this.#permissions.ask(askUser);
  }

  /** Sets the config options of the request's model. Rejects with a `ModelFailure` that names the option. */
  async configure(configOptions: Readonly<Record<string, string>>): Promise<void> {
    for (const [configId, value] of Object.entries(configOptions)) {
      if (this.#configOptions[configId] === value) continue;
      try {
        const isModel = configId === setModelKey;
        await (isModel ? this.#opened?.setModel(value) : this.#opened?.setConfigOption(configId, value));
      } catch (failure) {
        throw new ModelFailure(
          "agent-failed",
          `The agent rejected "${value}" for "${configId}": ${messageOf(failure)} Choose another model.`,
        );
      }
      this.#configOptions = { ...this.#configOptions, [configId]: value };
      // The context size was reported for another model.
      this.contextUse = undefined;
    }
  }

  /** Returns the prompt's first blocks: the session's tool restriction and new system text. */
  introduction(request: ModelRequest): readonly ContentBlock[] {
    const blocks: ContentBlock[] = [];
    if (!this.#isIntroduced && this.#isRaw && !this.#hasNoTools) {
      blocks.push(
        textBlock(
          `Work with the tools of the MCP server ${this.options.client.toolServer.name} alone: your own tools are refused in this conversation.`,
        ),
      );
    }
    const isNew = request.systemText !== this.#systemText && request.systemText !== "";
    if (isNew && request.systemPromptUse !== "drop") blocks.push(instructionBlock(request.systemText));
    this.#systemText = request.systemText;
    this.#isIntroduced = true;
    const names = request.tools.map(({ name }) => name);
    if (request.isToolRequired && names.length > 0) {
      blocks.push(textBlock(`Answer this by calling one of these tools: ${names.join(", ")}.`));
    }
    return blocks;
  }

  /** Sends a prompt and returns the turn's result. Rejects with the agent's failure. */
  async prompt(blocks: readonly ContentBlock[]): Promise<Members> {
    this.#turn = this.#opened?.prompt(blocks);
    return (await this.#turn?.result.catch(throwModelFailure)) ?? {};
  }

  /** Cancels an open turn; returns whether the agent ended it in time. */
  async abandon(): Promise<boolean> {
    this.turns.cancel();
    return this.phase !== "ending" || isDoneWithin(this.turns.ended, graceMs);
  }

  /** Cancels the turn, then closes the session, each within a time limit. */
  async close(): Promise<void> {
    await this.abandon();
    await this.#opened?.close(graceMs);
    // An agent that can't close sessions retains the server, and clients have hundreds of tools.
    this.#bridge.setTools([]);
    await this.release();
  }

  async release(): Promise<void> {
    await this.options.lease.release();
  }

  /** Whether the agent's own tools are disabled, so that the prompt needn't forbid them. */
  get #hasNoTools(): boolean {
    const { bare, traits } = this.connection;
    return traits.isClaude || bare?.hasNoTools === true;
  }

  #setup(request: ModelRequest, { traits }: AgentConnection): SessionSetup {
    const isAppended =
      request.systemPromptUse === "append" && request.systemText !== "" && traits.systemPrompt !== undefined;
    const appended = isAppended ? request.systemText : undefined;
    // System text that was appended to the agent's own isn't repeated in the prompt.
    if (appended !== undefined) this.#systemText = appended;
    const meta = {
      ...(this.#isRaw && { disableBuiltInTools: true }),
      ...(this.#isRaw && traits.isClaude && { claudeCode: { options: { strictMcpConfig: true } } }),
      ...(appended !== undefined && traits.systemPrompt === "claude" && { systemPrompt: { append: appended } }),
    };
    return {
      cwd: request.cwd,
      server: this.hasBridge ? this.#bridge : undefined,
      members: {
        ...(appended !== undefined &&
          traits.systemPrompt === "session" && { systemPrompt: { mode: "append", content: [textBlock(appended)] } }),
        ...(Object.keys(meta).length > 0 && { _meta: meta }),
      },
    };
  }

  #update(update: Members): void {
    const { sessionUpdate, used, size } = update;
    if (this.#isNotice(update)) return;
    if (sessionUpdate !== "usage_update") this.turns.update(update);
    else if (typeof used === "number" && typeof size === "number") this.contextUse = { used, size };
  }

  /** Returns whether a session update contains only the agent's remark that it has no tools. */
  #isNotice({ sessionUpdate, content }: Members): boolean {
    const text = sessionUpdate === "agent_message_chunk" ? asObject(content)?.["text"] : undefined;
    return typeof text === "string" && this.connection.bare?.notice?.test(text) === true;
  }

  async #callTool(...call: Parameters<CallTool>): Promise<ToolResult | string> {
    const outcome = await this.turns.call(...call);
    if (outcome.kind === "result") return outcome.result;
    if (outcome.kind === "missing") return `The ${this.options.client.noun} gave no result for this call.`;
    throw new Error("The user cancelled this.");
  }
}
