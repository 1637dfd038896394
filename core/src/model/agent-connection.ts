import { acpMethods } from "../acp/methods.js";
import type { Proxy } from "../conductor/proxy.js";
import type { McpServer } from "../mcp/mcp-server.js";
import { asObject } from "../rpc/json.js";
import { Notification, Outcome, Request } from "../rpc/message.js";
import { ask, type Cancel, nothingToCancel, type Peer, type Reply } from "../rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../rpc/rpc-error.js";
import { type AgentTraits, readAgentTraits } from "./agent-traits.js";
import type { CallHabits } from "./call-round.js";
import type { ContentBlock } from "./content-block.js";
import { ModelFailure } from "./model-failure.js";
import { SessionToolsProxy } from "./session-tools-proxy.js";
import { isDoneWithin } from "../base/until-aborted.js";

/** How long an agent may take to close a session. */
const closeGraceMs = 5_000;
/** How long it may take to open one: it may start MCP servers that are downloaded first. */
const openLimitMs = 120_000;

type Members = Readonly<Record<string, unknown>>;

/** An agent that was started so that it should work with its client's tools. */
export interface BareAgent {
  /** Whether it has no tool of its own then. */
  readonly hasNoTools: boolean;
  /** What it says in its answers of the tools that it lacks. */
  readonly notice?: RegExp;
}

/** An open chain; disposing ends it. */
export interface OpenedAgent extends AsyncDisposable {
  readonly fromClient: Peer;
  /** Undefined where it has its own tools. */
  readonly bare?: BareAgent | undefined;
}

/**
 * Opens a chain in which `proxy` stands first; `onFailure` is called once, with a sentence, when it fails later. `isPlain`:
 * the agent is started as it is, with its own tools.
 */
export type OpenAgent = (
  client: Peer,
  proxy: Proxy,
  onFailure: (message: string) => void,
  isPlain?: boolean,
) => Promise<OpenedAgent>;

/** What one session does with what its agent says and asks. */
export interface SessionListener {
  update(update: Members): void;
  /** Answers `session/request_permission` by its result, once; the returned function gives the question up. */
  permission(params: Members, answer: (result: unknown) => void): Cancel;
}

/** How a session is opened. */
export interface SessionSetup {
  /** Absolute path of the working folder. */
  readonly cwd: string;
  /** Offered beside the servers of the chain. */
  readonly server?: McpServer | undefined;
  /** Further members of the request. */
  readonly members?: Members;
}

/** A session that the agent opened. */
export interface OpenedSession {
  readonly sessionId: string;
  /** The whole result of the request that opened it. */
  readonly result: Members;
}

export interface AgentConnectionOptions {
  readonly open: OpenAgent;
  /** How the agent knows this client. */
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly onFailure: (message: string) => void;
}

/** The client of one chain: many sessions, no files and no terminals. */
export class AgentConnection implements AsyncDisposable {
  readonly #sessions = new Map<string, SessionListener>();
  readonly #tools = new SessionToolsProxy();
  #agent: OpenedAgent | undefined;
  #traits: AgentTraits = readAgentTraits({});
  #hasFailed = false;
  #isConnected = false;
  /** How the agent makes calls of tools; those who listen to its sessions note it. */
  readonly habits: CallHabits = {};

  private constructor(private readonly options: AgentConnectionOptions) {}

  /** Starts the chain and greets it. Rejects with a `ModelFailure` when it does not answer as it should. */
  static async connect(options: AgentConnectionOptions, isPlain = false): Promise<AgentConnection> {
    const connection = new AgentConnection(options);
    try {
      await connection.#start(isPlain);
      return connection;
    } catch (failure) {
      await connection[Symbol.asyncDispose]();
      // An older version may not know what switches its tools off.
      if (connection.bare) return AgentConnection.connect(options, true);
      throw failure;
    }
  }

  /** Whether the chain is gone, with all its sessions. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** What the agent says of itself and what it can do. */
  get traits(): AgentTraits {
    return this.#traits;
  }

  /** How it was started without its own tools, where it was. */
  get bare(): BareAgent | undefined {
    return this.#agent?.bare;
  }

  /** Opens a session that `listener` hears of. */
  openSession(listener: SessionListener, { cwd, server, members }: SessionSetup): Promise<OpenedSession> {
    return this.#open(Request.of(acpMethods.sessionNew, { cwd, mcpServers: [], ...members }), listener, server);
  }

  /** A session that begins with all that another one has behind it; only where the agent's traits say so. */
  forkSession(sessionId: string, listener: SessionListener, setup: SessionSetup): Promise<OpenedSession> {
    const { cwd, server, members } = setup;
    const request = Request.of(acpMethods.sessionFork, { sessionId, cwd, mcpServers: [], ...members });
    return this.#open(request, listener, server);
  }

  /** The result of one prompt turn. */
  prompt(sessionId: string, prompt: readonly ContentBlock[]): Promise<Members> {
    return this.#ask(Request.of(acpMethods.sessionPrompt, { sessionId, prompt }));
  }

  /** Asks the agent to end the turn; its answer still comes. */
  cancel(sessionId: string): void {
    this.#agent?.fromClient.notify(Notification.of(acpMethods.sessionCancel, { sessionId }));
  }

  /** Sends another request of a session and resolves with its result. */
  request(method: string, params: Members): Promise<Members> {
    return this.#ask(Request.of(method, params));
  }

  /** Forgets the session, and closes it where the agent can, within bounds: what else is left of it waits for that. */
  async close(sessionId: string): Promise<void> {
    this.#sessions.delete(sessionId);
    if (!this.#traits.canClose) return;
    await isDoneWithin(this.#ask(Request.of(acpMethods.sessionClose, { sessionId })), closeGraceMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.[Symbol.asyncDispose]();
  }

  async #start(isPlain: boolean): Promise<void> {
    const { open, onFailure, clientInfo } = this.options;
    const client: Peer = {
      request: (request, reply) => this.#answer(request, reply),
      notify: (notification) => this.#notice(notification),
    };
    const fail = (message: string): void => {
      this.#hasFailed = true;
      if (this.#isConnected) onFailure(message);
    };
    this.#agent = await open(client, this.#tools, fail, isPlain);
    const result = await this.#ask(
      Request.of(acpMethods.initialize, {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo,
      }),
    );
    if (result["protocolVersion"] !== 1) throw failed("The agent speaks another version of ACP.");
    this.#traits = readAgentTraits(result);
    if (this.#hasFailed) throw failed("The agent has ended.");
    this.#isConnected = true;
  }

  async #open(request: Request, listener: SessionListener, server: McpServer | undefined): Promise<OpenedSession> {
    const opening = this.#tools.offering(server, () => this.#ask(request));
    if (!(await isDoneWithin(opening, openLimitMs))) {
      // A session that nobody waits for any more.
      opening.then(({ sessionId }) => this.close(String(sessionId))).catch(() => undefined);
      throw failed(
        `The agent has not opened a session within ${openLimitMs / 1000} seconds. Start it in a terminal to see what it waits for.`,
      );
    }
    const result = await opening;
    const sessionId = result["sessionId"];
    if (typeof sessionId !== "string") throw failed("The agent opened a session without an id.");
    this.#sessions.set(sessionId, listener);
    return { sessionId, result };
  }

  #answer({ method, params }: Request, reply: Reply): Cancel {
    const members = params?.object ?? {};
    const session = this.#sessions.get(String(members["sessionId"]));
    if (method === acpMethods.requestPermission && session) {
      return session.permission(members, (result) => reply(Outcome.of(result)));
    }
    reply(Outcome.error(RpcError.methodNotFound(method)));
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
    throw new ModelFailure(
      "sign-in-required",
      `The agent wants you to sign in (${message}). Run \`symposium-acp-agent sign-in\`, or its own program.`,
    );
  }
}

function failed(message: string): ModelFailure {
  return new ModelFailure("agent-failed", message);
}
