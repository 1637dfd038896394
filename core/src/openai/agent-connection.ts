import { acpMethods } from "../acp/methods.js";
import type { Proxy } from "../conductor/proxy.js";
import type { McpServer } from "../mcp/mcp-server.js";
import { asObject } from "../rpc/json.js";
import { Notification, Outcome, Request } from "../rpc/message.js";
import { ask, type Cancel, nothingToCancel, type Peer, type Reply } from "../rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../rpc/rpc-error.js";
import { ClientToolsProxy } from "./client-tools.js";
import { OpenAiFailure } from "./openai-failure.js";
import type { ContentBlock } from "./prompt-content.js";

type Members = Readonly<Record<string, unknown>>;

/** An open chain; disposing ends it. */
export interface OpenedAgent extends AsyncDisposable {
  readonly fromClient: Peer;
}

/** Opens a chain in which `proxy` stands first; `onFailure` is called once when it fails later. */
export type OpenAgent = (client: Peer, proxy: Proxy, onFailure: () => void) => Promise<OpenedAgent>;

/** What one session does with what its agent says and asks. */
export interface SessionListener {
  update(update: Members): void;
  /** The result of `session/request_permission`. */
  permission(params: Members): unknown;
}

export interface AgentConnectionOptions {
  readonly open: OpenAgent;
  /** The working folder of every session. */
  readonly cwd: string;
  /** The product's version. */
  readonly version: string;
  readonly onFailure: () => void;
}

/** The client of one chain: many sessions, no files and no terminals. */
export class AgentConnection implements AsyncDisposable {
  readonly #sessions = new Map<string, SessionListener>();
  readonly #tools = new ClientToolsProxy();
  #agent: OpenedAgent | undefined;
  #takesImages = false;
  #canClose = false;

  private constructor(private readonly options: AgentConnectionOptions) {}

  /** Starts the chain and greets it. Rejects with an `OpenAiFailure` when it does not answer as it should. */
  static async connect(options: AgentConnectionOptions): Promise<AgentConnection> {
    const connection = new AgentConnection(options);
    try {
      await connection.#start();
      return connection;
    } catch (failure) {
      await connection[Symbol.asyncDispose]();
      throw failure;
    }
  }

  /** Whether prompts may have images. */
  get takesImages(): boolean {
    return this.#takesImages;
  }

  /** Opens a session that `listener` hears of; `server` is offered to it beside those of the chain. */
  async openSession(listener: SessionListener, server: McpServer | undefined): Promise<string> {
    const request = Request.of(acpMethods.sessionNew, { cwd: this.options.cwd, mcpServers: [] });
    const answer = await this.#tools.offering(server, () => this.#ask(request));
    const sessionId = answer["sessionId"];
    if (typeof sessionId !== "string") throw failed("The agent opened a session without an id.");
    this.#sessions.set(sessionId, listener);
    return sessionId;
  }

  /** The result of one prompt turn. */
  prompt(sessionId: string, prompt: readonly ContentBlock[]): Promise<Members> {
    return this.#ask(Request.of(acpMethods.sessionPrompt, { sessionId, prompt }));
  }

  /** Asks the agent to end the turn; its answer still comes. */
  cancel(sessionId: string): void {
    this.#agent?.fromClient.notify(Notification.of(acpMethods.sessionCancel, { sessionId }));
  }

  /** Forgets the session, and closes it where the agent can. */
  async close(sessionId: string): Promise<void> {
    this.#sessions.delete(sessionId);
    if (this.#canClose) await this.#ask(Request.of(acpMethods.sessionClose, { sessionId })).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.[Symbol.asyncDispose]();
  }

  async #start(): Promise<void> {
    const { open, onFailure, version } = this.options;
    const client: Peer = {
      request: (request, reply) => this.#answer(request, reply),
      notify: (notification) => this.#notice(notification),
    };
    this.#agent = await open(client, this.#tools, onFailure);
    const result = await this.#ask(
      Request.of(acpMethods.initialize, {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: "symposium-openai", title: "Symposium", version },
      }),
    );
    if (result["protocolVersion"] !== 1) throw failed("The agent speaks another version of ACP.");
    const capabilities = asObject(result["agentCapabilities"]);
    this.#takesImages = asObject(capabilities?.["promptCapabilities"])?.["image"] === true;
    this.#canClose = asObject(asObject(capabilities?.["sessionCapabilities"])?.["close"]) !== undefined;
  }

  #answer({ method, params }: Request, reply: Reply): Cancel {
    const members = params?.object ?? {};
    const session = this.#sessions.get(String(members["sessionId"]));
    if (method === acpMethods.requestPermission && session) reply(Outcome.of(session.permission(members)));
    else reply(Outcome.error(RpcError.methodNotFound(method)));
    return nothingToCancel;
  }

  #notice({ method, params }: Notification): void {
    if (method !== acpMethods.sessionUpdate) return;
    const members = params?.object ?? {};
    this.#sessions.get(String(members["sessionId"]))?.update(asObject(members["update"]) ?? {});
  }

  async #ask(request: Request): Promise<Members> {
    if (!this.#agent) throw failed("The agent is not there.");
    const { isError, json } = await ask(this.#agent.fromClient, request);
    const members = json.object ?? {};
    if (!isError) return members;
    const message = typeof members["message"] === "string" ? members["message"] : "no reason given";
    if (members["code"] !== rpcErrorCodes.authRequired) throw failed(`The agent failed: ${message}`);
    throw new OpenAiFailure(
      502,
      "agent_sign_in_required",
      `The agent wants you to sign in (${message}). Run \`symposium-acp-agent sign-in\`, or its own program.`,
    );
  }
}

function failed(message: string): OpenAiFailure {
  return new OpenAiFailure(502, "agent_failed", message);
}
