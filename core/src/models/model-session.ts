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
import { ownToolOf } from "../base/acp/own-tool.js";
import { instructionBlock, textBlock } from "./prompt-blocks.js";
import { SessionHistory } from "./session-history.js";
import { type AskUser, SessionPermissions } from "./session-permissions.js";
import { SessionTurns } from "./session-turns.js";
import { type CallTool, ToolBridge } from "./tool-bridge.js";
import type { TurnPhase } from "./turn-state.js";

/** How long an agent may take to end a turn that was given up, and to close a session. */
const graceMs = 5_000;

/** The key of `configOptions` that stands for the request by which agents without config options choose a model. */
export const setModelKey = "session/set_model";

/** Who asks agents as language models, as agents see it. */
export interface ModelClient {
  readonly name: string;
  readonly version: string;
  /** What the client is, in sentences for agents: `editor`. */
  readonly noun: string;
  /** The MCP server under which agents find the client's tools, and what it is for. */
  readonly toolServer: { readonly name: string; readonly instructions: string };
}

interface ModelSessionOptions {
  readonly connection: AgentConnection;
  /** Released when the session is over. */
  readonly lease: AgentLease<AgentConnection>;
  readonly client: ModelClient;
  readonly logger: Logger;
}

/** One session of an agent, as a conversation of the client uses it. */
export class ModelSession {
  /** See `ModelRequest`. */
  readonly sessionKey: string;
  readonly conversationId: string | undefined;
  readonly initiator: string | undefined;
  /** Whether it can be given tools of the client. */
  readonly hasBridge: boolean;
  /** Whether the request that opened it brought tools, for the agent or not. */
  readonly broughtTools: boolean;
  readonly history = new SessionHistory();
  readonly turns: SessionTurns;
  readonly connection: AgentConnection;
  /** Whether a request has it. */
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
  /** Whether the agent works with the client's tools alone. */
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
      onLeftOut: (tool, reason) => logger.warn("a tool cannot be offered", { tool, reason }),
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

  /** Opens a session for a request, as a fork of another one where that is given. Rejects with a `ModelFailure`. */
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

  /** The result of the request that opened it. */
  get openingResult(): Members {
    return this.#opened?.opened ?? {};
  }

  get phase(): TurnPhase {
    return this.turns.phase;
  }

  /** Whether its turn goes on with the result of that call, even if the agent has given the call up. */
  isWaitingFor(callId: string): boolean {
    return this.turns.isWaitingFor(callId) || this.turns.givenUp(callId) !== undefined;
  }

  /** The request's tools and permissions hold from now on. */
  accept(request: ModelRequest): void {
    const { permissions, permissionTool } = request;
    this.#permission = { permissions, permissionTool };
    this.#bridge.setTools(request.tools);
  }

  /** A request listens from now on, by which the user can be asked. */
  listen(askUser: AskUser | undefined): void {
    this.askUser = askUser;
    if (askUser) this.#permissions.ask(askUser);
  }

  /** Chooses what the request's model is made of. Rejects with a `ModelFailure` that names the option. */
  async configure(configOptions: Readonly<Record<string, string>>): Promise<void> {
    for (const [configId, value] of Object.entries(configOptions)) {
      if (this.#configOptions[configId] === value) continue;
      try {
        const isModel = configId === setModelKey;
        await (isModel ? this.#opened?.setModel(value) : this.#opened?.setConfigOption(configId, value));
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

  /** Sends a prompt; the result of its turn. Rejects with what the agent fails with. */
  async prompt(blocks: readonly ContentBlock[]): Promise<Members> {
    this.#turn = this.#opened?.prompt(blocks);
    return (await this.#turn?.result.catch(throwModelFailure)) ?? {};
  }

  /** Gives an open turn up; whether the agent ended it in time. */
  async abandon(): Promise<boolean> {
    this.turns.cancel();
    return this.phase !== "ending" || isDoneWithin(this.turns.ended, graceMs);
  }

  /** Ends the session: its turn first, within bounds. */
  async close(): Promise<void> {
    await this.abandon();
    await this.#opened?.close(graceMs);
    // An agent that cannot close sessions keeps the server, and clients have hundreds of tools.
    this.#bridge.setTools([]);
    await this.release();
  }

  /** Lets go of the agent: the session is over. */
  async release(): Promise<void> {
    await this.options.lease.release();
  }

  /** Whether the agent's own tools are off, so that it need not be asked to leave them alone. */
  get #hasNoTools(): boolean {
    const { bare, traits } = this.connection;
    return traits.isClaude || bare?.hasNoTools === true;
  }

  #setup(request: ModelRequest, { traits }: AgentConnection): SessionSetup {
    const isAppended =
      request.systemPromptUse === "append" && request.systemText !== "" && traits.systemPrompt !== undefined;
    const appended = isAppended ? request.systemText : undefined;
    // What the agent gets this way need not stand in the prompt.
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

  /** Whether the agent only says what it was started without. */
  #isNotice({ sessionUpdate, content }: Members): boolean {
    const text = sessionUpdate === "agent_message_chunk" ? asObject(content)?.["text"] : undefined;
    return typeof text === "string" && this.connection.bare?.notice?.test(text) === true;
  }

  async #callTool(...call: Parameters<CallTool>): Promise<ToolResult | string> {
    const outcome = await this.turns.call(...call);
    if (outcome.kind === "result") return outcome.result;
    if (outcome.kind === "missing") return `The ${this.options.client.noun} gave no result for this call.`;
    throw new Error("The user has given this up.");
  }
}
