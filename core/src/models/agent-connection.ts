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

/** How long an agent may take to open a session: it may start MCP servers that are downloaded first. */
const openLimitMs = 120_000;

/** Why an agent gave no answer: it failed, wants its user to sign in, or takes no images where the client insists on them. */
type ModelFailureCode = "agent-failed" | "sign-in-required" | "takes-no-images";

/** An answer that does not come. Each codec words it once, in the errors of its own protocol. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";

  /** `message` names what failed and, where there is one, the remedy. */
  constructor(
    readonly code: ModelFailureCode,
    message: string,
  ) {
    super(message);
  }
}

/** An agent that was started so that it should work with its client's tools. */
export interface BareAgent {
  /** Whether it has no tool of its own then. */
  readonly hasNoTools: boolean;
  /** What it says in its answers of the tools that it lacks. */
  readonly notice?: RegExp;
}

/** An open chain; disposing ends it. */
interface OpenedAgent extends AsyncDisposable {
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
  update(update: Unchecked<SessionUpdate>): void;
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

/** What matters of an agent to a language model. */
export interface AgentTraits {
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Whether prompts may have images. */
  readonly takesImages: boolean;
  readonly canFork: boolean;
  readonly isClaude: boolean;
  /** Whether its sessions have one set of MCP servers, by their names: then two sessions get each other's calls. */
  readonly sharesServers: boolean;
  /** `session`: `session/new` takes a `systemPrompt`; `claude`: it takes one in `_meta`, as Claude's adapter does. */
  readonly systemPrompt: "session" | "claude" | undefined;
}

/** Returns the peculiarities of the agent that answered `initialize` so. */
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

  /**
   * Opens a session that `listener` belongs to; as a fork of another one where its id is given, which needs an agent that
   * can. Rejects with a `ModelFailure`.
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
    // A session that nobody waits for any more.
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
    if (this.#isDisposed) throw failed("The process is ending.");
    const initialized = await this.#client.initialize(this.#agent.fromClient).catch(throwModelFailure);
    if (initialized.protocolVersion !== acpVersion) throw failed("The agent speaks another version of ACP.");
    if (this.hasFailed) throw failed("The agent has ended.");
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

/** Stands first in a chain and gives each session the server that is set while it is opened. */
class SessionToolsProxy implements Proxy {
  readonly name = "session-tools";
  #server: McpServer | undefined;

  connect(): { mcpServers: () => readonly McpServer[] } {
    return { mcpServers: () => (this.#server ? [this.#server] : []) };
  }

  /** `open` sends a `session/new`: the chain asks for its servers before that call returns. */
  during<T>(server: McpServer | undefined, open: () => T): T {
    this.#server = server;
    try {
      return open();
    } finally {
      this.#server = undefined;
    }
  }
}

/** Throws what the agent refuses as a `ModelFailure`, anything else as it is. */
export function throwModelFailure(thrown: unknown): never {
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
