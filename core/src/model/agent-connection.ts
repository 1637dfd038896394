import { acpMethods, acpVersion } from "../acp/methods.js";
import { isDoneWithin } from "../base/until-aborted.js";
import { AgentClient } from "../client/agent-client.js";
import { AgentFailure, AgentRefusal, RequestFailure } from "../client/agent-failure.js";
import type { PooledAgent } from "../client/agent-pool.js";
import type { AgentSession, SessionSetup as ClientSessionSetup } from "../client/agent-session.js";
import type { Members } from "../client/unchecked.js";
import type { Proxy } from "../conductor/proxy.js";
import type { McpServer } from "../mcp/mcp-server.js";
import type { Cancel, Peer } from "../rpc/peer.js";
import { RpcError } from "../rpc/rpc-error.js";
import { type AgentTraits, agentTraits } from "./agent-traits.js";
import type { CallHabits } from "./call-round.js";
import type { ContentBlock } from "./content-block.js";
import { ModelFailure } from "./model-failure.js";
import { SessionToolsProxy } from "./session-tools-proxy.js";

/** How long an agent may take to close a session. */
const closeGraceMs = 5_000;
/** How long it may take to open one: it may start MCP servers that are downloaded first. */
const openLimitMs = 120_000;

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
  /** Given to the agent beside the servers of the chain. */
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
}

/** The client of one chain, for a language model: many sessions, no files and no terminals. Failures are `ModelFailure`s. */
export class AgentConnection implements PooledAgent<AgentConnection> {
  /** Resolves when the chain runs and has answered `initialize`. */
  readonly ready: Promise<this>;
  readonly ended: Promise<AgentFailure | undefined>;
  /** How the agent makes calls of tools; those who listen to its sessions note it. */
  readonly habits: CallHabits = {};
  readonly #tools = new SessionToolsProxy();
  #client: AgentClient<SessionListener>;
  #agent: OpenedAgent | undefined;
  #traits: AgentTraits | undefined;
  #failed: string | undefined;
  #isDisposed = false;
  #end: (failure: AgentFailure | undefined) => void = () => undefined;

  constructor(private readonly options: AgentConnectionOptions) {
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.#client = this.#newClient();
    this.ready = this.#start();
    this.ready.catch(() => undefined);
  }

  /** Whether the chain is gone, with all its sessions. */
  get hasFailed(): boolean {
    return this.#failed !== undefined;
  }

  /** What the agent says of itself and what it can do; only once it is {@link ready}. */
  get traits(): AgentTraits {
    if (!this.#traits) throw failed("The agent has not answered initialize.");
    return this.#traits;
  }

  /** How it was started without its own tools, where it was. */
  get bare(): BareAgent | undefined {
    return this.#agent?.bare;
  }

  /** Opens a session that `listener` hears of. */
  openSession(listener: SessionListener, { server, ...setup }: SessionSetup): Promise<OpenedSession> {
    return this.#open(server, () => this.#client.newSession(toClientSetup(setup), listener));
  }

  /** A session that begins with all that another one has behind it; only where the agent's traits say so. */
  forkSession(
    sessionId: string,
    listener: SessionListener,
    { server, ...setup }: SessionSetup,
  ): Promise<OpenedSession> {
    return this.#open(server, () => this.#client.forkSession(sessionId, toClientSetup(setup), listener));
  }

  /** The result of one prompt turn. */
  prompt(sessionId: string, prompt: readonly ContentBlock[]): Promise<Members> {
    return this.request(acpMethods.sessionPrompt, { sessionId, prompt });
  }

  /** Asks the agent to end the turn; its answer still comes. */
  cancel(sessionId: string): void {
    this.#client.notify(acpMethods.sessionCancel, { sessionId });
  }

  /** Sends another request of a session and resolves with its result. */
  request(method: string, params: Members): Promise<Members> {
    return this.#client.call(method, params).catch(rethrow);
  }

  /** Forgets the session, and closes it where the agent can, within bounds: what else is left of it waits for that. */
  async close(sessionId: string): Promise<void> {
    await this.#client.sessions.find(({ id }) => id === sessionId)?.close(closeGraceMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#end(undefined);
    await this.#agent?.[Symbol.asyncDispose]();
  }

  async #start(): Promise<this> {
    try {
      await this.#connect(false);
    } catch (failure) {
      const mayLackTheSwitch = this.bare !== undefined && !this.#isDisposed;
      await this.#agent?.[Symbol.asyncDispose]();
      if (!mayLackTheSwitch) throw failure;
      // An older version may not know what switches its tools off.
      try {
        await this.#connect(true);
      } catch (thrown) {
        await this.#agent?.[Symbol.asyncDispose]();
        throw thrown;
      }
    }
    return this;
  }

  async #connect(isPlain: boolean): Promise<void> {
    this.#client = this.#newClient();
    this.#failed = undefined;
    this.#agent = await this.options.open(
      this.#client.fromAgent,
      this.#tools,
      (message) => {
        this.#failed = message;
        if (this.#traits) this.#end(new AgentFailure("component-exited", message));
      },
      isPlain,
    );
    if (this.#isDisposed) throw failed("The process is ending.");
    const initialized = await this.#client.initialize(this.#agent.fromClient).catch(rethrow);
    if (initialized.protocolVersion !== acpVersion) throw failed("The agent speaks another version of ACP.");
    if (this.hasFailed) throw failed("The agent has ended.");
    this.#traits = agentTraits(initialized);
  }

  #newClient(): AgentClient<SessionListener> {
    return new AgentClient<SessionListener>({
      clientInfo: this.options.clientInfo,
      capabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      requests: {
        [acpMethods.requestPermission]: ({ method, params = {}, session, signal, answer }) => {
          if (!session) throw new RequestFailure(RpcError.methodNotFound(method));
          return new Promise((resolve) => {
            const cancel = session.listener.permission(params, (result) => {
              answer(result);
              resolve(result);
            });
            signal.addEventListener("abort", cancel, { once: true });
          });
        },
      },
    });
  }

  async #open(
    server: McpServer | undefined,
    open: () => Promise<AgentSession<SessionListener>>,
  ): Promise<OpenedSession> {
    const opening = this.#tools.offering(server, open);
    if (!(await isDoneWithin(opening, openLimitMs))) {
      // A session that nobody waits for any more.
      opening.then((session) => session.close(closeGraceMs)).catch(() => undefined);
      throw failed(
        `The agent has not opened a session within ${openLimitMs / 1000} seconds. Start it in a terminal to see what it waits for.`,
      );
    }
    const { id, opened } = await opening.catch(rethrow);
    return { sessionId: id, result: opened };
  }
}

function toClientSetup({ cwd, members }: Omit<SessionSetup, "server">): ClientSessionSetup {
  return { cwd, ...(members && { members }) };
}

/** What the agent refuses, as a failure of the model. */
function rethrow(thrown: unknown): never {
  if (!(thrown instanceof AgentRefusal)) throw thrown;
  const { code, reason, wantsSignIn } = thrown;
  if (code === undefined) throw failed(thrown.message);
  if (!wantsSignIn) throw failed(`The agent failed: ${reason ?? "no reason given"}`);
  throw new ModelFailure(
    "sign-in-required",
    `The agent wants you to sign in (${reason ?? "no reason given"}). Run \`symposium-acp-agent sign-in\`, or its own program.`,
  );
}

function failed(message: string): ModelFailure {
  return new ModelFailure("agent-failed", message);
}
