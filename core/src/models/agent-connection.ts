import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { acpMethods, acpVersion } from "../base/acp/methods.js";
import { isDoneWithin } from "../base/until-aborted.js";
import { AgentClient } from "../conductor/client/agent-client.js";
import { AgentFailure, AgentRefusal, RequestFailure } from "../conductor/client/agent-errors.js";
import type { PooledAgent } from "../conductor/client/agent-pool.js";
import type { AgentSession } from "../conductor/client/agent-session.js";
import type { InitializedAgent } from "../conductor/client/initialized-agent.js";
import type { Unchecked } from "../conductor/client/unchecked.js";
import type { Proxy } from "../conductor/chain/proxy.js";
import type { McpServer } from "../base/mcp/mcp-server.js";
import { asObject, type Members } from "../base/rpc/json.js";
import type { Cancel, Peer } from "../base/rpc/peer.js";
import { RpcError } from "../base/rpc/rpc-error.js";
import type { CallHabits } from "./tool-round-end.js";

/** Maximum milliseconds for opening a session. An agent may download MCP servers during that time. */
const openLimitMs = 120_000;

/** Why an agent didn't answer: it failed, it needs a sign-in, or it doesn't accept images, which the client requires. */
type ModelFailureCode = "agent-failed" | "sign-in-required" | "takes-no-images";

/** A failed answer. Each protocol's codec translates the failure to an error of the protocol. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";

  /** `message` says what failed and, if possible, how to fix the problem. */
  constructor(
    readonly code: ModelFailureCode,
    message: string,
  ) {
    super(message);
  }
}

/** An agent that was started to work only with its client's tools. */
export interface BareAgent {
  readonly hasNoTools: boolean;
  /** Matches the agent's own messages about its missing tools. */
  readonly notice?: RegExp;
}

/** An open chain; disposing closes the chain. */
interface OpenedAgent extends AsyncDisposable {
  readonly fromClient: Peer;
  /** Facts about the start without tools; undefined if the agent has its own tools. */
  readonly bare?: BareAgent | undefined;
}

/**
 * Opens a chain whose first proxy is `proxy`; `isPlain` starts the agent with its own tools. If the chain fails later, calls `onFailure`
 * once.
 */
export type OpenAgent = (
  client: Peer,
  proxy: Proxy,
  onFailure: (message: string) => void,
  isPlain?: boolean,
) => Promise<OpenedAgent>;

export interface SessionListener {
  update(update: Unchecked<SessionUpdate>): void;
  /** Answers a `session/request_permission` by calling `answer` once with the result. The returned function cancels the question. */
  permission(params: Members, answer: (result: unknown) => void): Cancel;
}

export interface SessionSetup {
  /** Absolute path of the working folder. */
  readonly cwd: string;
  /** MCP server for the agent, in addition to the MCP servers of the chain. */
  readonly server?: McpServer | undefined;
  readonly members?: Members;
}

export interface AgentTraits {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly takesImages: boolean;
  readonly canFork: boolean;
  readonly isClaude: boolean;
  /** Whether the agent's sessions share MCP servers with the same name, so that one session can receive another's calls. */
  readonly sharesServers: boolean;
  /** `session`: `session/new` accepts a `systemPrompt`; `claude`: `_meta` does, as in Claude's adapter. */
  readonly systemPrompt: "session" | "claude" | undefined;
}

export type QuirksOf = (agent: Pick<InitializedAgent, "name" | "result">) => {
  readonly isClaude: boolean;
  readonly sharesServers: boolean;
  readonly takesSystemPromptInMeta: boolean;
};

function agentTraits(
  { name, version, accepts, canFork, result }: InitializedAgent,
  { isClaude, sharesServers, takesSystemPromptInMeta }: ReturnType<QuirksOf>,
): AgentTraits {
  const session = asObject(result.agentCapabilities?.sessionCapabilities);
  const takesSystemPrompt = asObject(session?.["systemPrompt"]) !== undefined;
  return {
    name,
    version,
    takesImages: accepts.image,
    canFork,
    isClaude,
    sharesServers,
    systemPrompt: takesSystemPrompt ? "session" : takesSystemPromptInMeta ? "claude" : undefined,
  };
}

interface AgentConnectionOptions {
  readonly open: OpenAgent;
  readonly quirksOf: QuirksOf;
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
}

/** Client of one chain that is used as a language model: many sessions, no files or terminals. Failures are reported as `ModelFailure`. */
export class AgentConnection implements PooledAgent<AgentConnection> {
  /** Resolves when the chain has answered `initialize`. */
  readonly ready: Promise<this>;
  readonly ended: Promise<AgentFailure | undefined>;
  readonly habits: CallHabits = {};
  readonly #tools = new SessionToolsProxy();
  #client: AgentClient<SessionListener>;
  #opening: Promise<unknown> | undefined;
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

  get hasFailed(): boolean {
    return this.#failed !== undefined;
  }

  /** Facts about the agent. Throws unless {@link ready} has resolved. */
  get traits(): AgentTraits {
    if (!this.#traits) throw failed("The agent has not answered initialize.");
    return this.#traits;
  }

  /** Facts about the agent if it was started without its own tools; otherwise undefined. */
  get bare(): BareAgent | undefined {
    return this.#agent?.bare;
  }

  /**
   * Opens a session for `listener`. If a session id is given and the agent supports forks, forks that session; rejects with a
   * `ModelFailure`.
   */
  async openSession(
    listener: SessionListener,
    { server, ...setup }: SessionSetup,
    forkedId?: string,
  ): Promise<AgentSession<SessionListener>> {
    const opening = this.#tools.during(server, () =>
      forkedId === undefined
        ? this.#client.newSession(setup, listener)
        : this.#client.forkSession(forkedId, setup, listener),
    );
    if (await isDoneWithin(opening, openLimitMs)) return opening.catch(throwModelFailure);
    // Close the session if it opens after the time limit.
    opening.then((session) => session.close(0)).catch(() => undefined);
    throw failed(
      `The agent has not opened a session within ${openLimitMs / 1000} seconds. Start it in a terminal to see what it waits for.`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#end(undefined);
    await this.#opening?.catch(() => undefined);
    await this.#agent?.[Symbol.asyncDispose]();
  }

  async #start(): Promise<this> {
    try {
      await this.#connect(false);
    } catch (failure) {
      const mayLackTheSwitch = this.bare !== undefined && !this.#isDisposed;
      await this.#agent?.[Symbol.asyncDispose]();
      if (!mayLackTheSwitch) throw failure;
      // Connect a second time, since an older agent may reject the options that disable its tools.
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
    const opening = this.options.open(
      this.#client.fromAgent,
      this.#tools,
      (message) => {
        this.#failed = message;
        if (this.#traits) this.#end(new AgentFailure("component-exited", message));
      },
      isPlain,
    );
    this.#opening = opening;
    this.#agent = await opening;
    if (this.#isDisposed) throw failed("The agent connection is closing.");
    const initialized = await this.#client.initialize(this.#agent.fromClient).catch(throwModelFailure);
    if (initialized.protocolVersion !== acpVersion) throw failed("The agent uses a different version of ACP.");
    if (this.hasFailed) throw failed("The agent exited.");
    this.#traits = agentTraits(initialized, this.options.quirksOf(initialized));
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
}

/** First proxy of a chain. Gives each new session the MCP server that was set while the session was being opened. */
class SessionToolsProxy implements Proxy {
  readonly name = "session-tools";
  #server: McpServer | undefined;

  connect(): { mcpServers: () => readonly McpServer[] } {
    return { mcpServers: () => (this.#server ? [this.#server] : []) };
  }

  /** Sets the MCP server while `open` runs. `open` sends a `session/new`, and the chain requests the servers before `open` returns. */
  during<T>(server: McpServer | undefined, open: () => T): T {
    this.#server = server;
    try {
      return open();
    } finally {
      this.#server = undefined;
    }
  }
}

/** Throws a `ModelFailure` if the agent refused; otherwise rethrows the error. */
export function throwModelFailure(thrown: unknown): never {
  if (!(thrown instanceof AgentRefusal)) throw thrown;
  const { code, reason, wantsSignIn } = thrown;
  if (code === undefined) throw failed(thrown.message);
  if (!wantsSignIn) throw failed(`The agent failed: ${reason ?? "no reason given"}`);
  throw new ModelFailure(
    "sign-in-required",
    `The agent requires sign-in (${reason ?? "no reason given"}). Run \`symposium-acp-agent sign-in\`, or sign in with the agent's ` +
      "own program.",
  );
}

function failed(message: string): ModelFailure {
  return new ModelFailure("agent-failed", message);
}
