import { type LogEvent, Logger } from "../../../src/base/logger.js";
import type { ChainEnvironment } from "../../../src/conductor/chain/chain.js";
import type { ProcessHandlers } from "../../../src/base/component-process.js";
import type { Agent, ProxyComponent } from "../../../src/conductor/chain/component.js";
import { Conductor, type ConductorOptions } from "../../../src/conductor/chain/conductor.js";
import type { ChainFailure } from "../../../src/conductor/chain/failure.js";
import type { Proxy } from "../../../src/conductor/chain/proxy.js";
import type { McpBridge, McpServer } from "../../../src/base/mcp/mcp-server.js";
import { Connection } from "../../../src/base/rpc/connection.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, type Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, type Peer } from "../../../src/base/rpc/peer.js";
import { memoryChannelPair } from "../../../testing/memory-channel.js";
import { type Answer, RecordingPeer } from "../../../testing/recording-peer.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { scriptedClient, type ScriptedClientOptions } from "../../../testing/scripted-client.js";
import { MemoryProcess, type Program } from "./component-programs.js";

export { agentProgram, listener, mcpServer, MemoryProcess, type Program, wireProxy } from "./component-programs.js";

/** A bridge that writes down what it was asked for, and serves the servers to the test. */
export class RecordingBridge implements McpBridge {
  readonly exposed = new Map<string, McpServer>();
  /** `http NAME`, `stdio NAME`, and `withdrawn NAME`, in order. */
  readonly log: string[] = [];

  expose(server: McpServer, transport: "http" | "stdio"): ReturnType<McpBridge["expose"]> {
    if (server.name.startsWith("unservable")) return Promise.reject(new Error(`no port for ${server.name}`));
    this.log.push(`${transport} ${server.name}`);
    this.exposed.set(server.name, server);
    return Promise.resolve({
      declaration: Json.of({ name: server.name, bridged: transport }),
      [Symbol.asyncDispose]: () => {
        this.log.push(`withdrawn ${server.name}`);
        return Promise.resolve();
      },
    });
  }
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

export interface StageOptions {
  /** In-process proxies, or programs by which processes are played. */
  readonly proxies?: readonly (Proxy | Program)[];
  /** Of the proxies that are played, by name: `proxy-1` and so on. */
  readonly proxyOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Absent: a scripted agent. Null: none, so that the conductor is a proxy itself. */
  readonly agent?: Agent | Program | null;
  readonly client?: ScriptedClientOptions;
  readonly startupTimeoutMs?: number;
  /** Sees every line of every wire. */
  readonly record?: (from: string, to: string, line: string) => void;
  /** More of the conductor's options. */
  readonly conductor?: Partial<Omit<ConductorOptions, "environment">> & {
    readonly environment?: Partial<ChainEnvironment>;
  };
}

/** A client, a conductor with its chain, and everything a test wants to see of them. */
export class Stage implements AsyncDisposable {
  readonly client: RecordingPeer;
  readonly conductor: Conductor;
  readonly bridge = new RecordingBridge();
  readonly processes = new Map<string, MemoryProcess>();
  readonly failures: ChainFailure[] = [];
  readonly events: LogEvent[] = [];
  /** The client's side of the wire: JSON-RPC lines to and from the conductor. */
  readonly sent: string[] = [];
  readonly connection: Connection;
  readonly #record: NonNullable<StageOptions["record"]> = () => undefined;

  constructor({
    proxies = [],
    proxyOptions = {},
    agent = new ScriptedAgent(),
    client,
    startupTimeoutMs = 60_000,
    conductor,
    record,
  }: StageOptions = {}) {
    if (record) this.#record = record;
    this.client = scriptedClient(client);
    const programs = new Map<string, Program>();
    const process = (name: string, program: Program): ProxyComponent & { kind: "process" } => {
      programs.set(name, program);
      const options = proxyOptions[name];
      return { kind: "process", name, command: { command: name, args: [], env: {} }, ...(options && { options }) };
    };
    // Our own end of the client's wire: ids are restored, cancellations are sent, as by a real editor.
    const clientSide = new Connection({
      send: (line) => {
        this.sent.push(line);
        this.#record("client", "conductor", line);
        serverSide.receive(line);
      },
      inbound: this.client,
      answersGarbage: true,
    });
    const serverSide: Connection = new Connection({
      send: (line) => {
        this.#record("conductor", "client", line);
        clientSide.receive(line);
      },
      inbound: {
        request: (request, reply) => this.conductor.fromClient.request(request, reply),
        notify: (notification) => this.conductor.fromClient.notify(notification),
      },
      answersGarbage: true,
    });
    this.connection = clientSide;
    this.conductor = new Conductor({
      proxies: proxies.map((one, index) =>
        typeof one === "function" ? process(`proxy-${index + 1}`, one) : { kind: "proxy", proxy: one },
      ),
      ...(agent !== null && {
        agent: typeof agent === "function" ? process("agent", agent) : { kind: "agent", agent },
      }),
      client: serverSide,
      startupTimeoutMs,
      onFailure: (failure) => this.failures.push(failure),
      onWrappedCancel: (params) => serverSide.cancelIncoming(params),
      ...conductor,
      environment: {
        startProcess: (name, _command, handlers) => this.#start(name, programs.get(name), handlers),
        bridge: this.bridge,
        logger: new Logger((event) => this.events.push(event)),
        maxLineBytes: 1_000_000,
        ...conductor?.environment,
      },
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.conductor[Symbol.asyncDispose]();
  }

  ask(method: string, params?: unknown, signal?: AbortSignal): Promise<Outcome> {
    return ask(this.connection, new Request(method, params === undefined ? undefined : Json.of(params)), signal);
  }

  /** The result of a request that must succeed. */
  async result(method: string, params?: unknown): Promise<unknown> {
    const outcome = await this.ask(method, params);
    if (outcome.isError) throw new Error(`${method}: ${outcome.json.text}`);
    return outcome.json.value;
  }

  /** The error of a request that must fail. */
  async error(method: string, params?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const outcome = await this.ask(method, params);
    if (!outcome.isError) throw new Error(`${method} succeeded: ${outcome.json.text}`);
    return outcome.json.object ?? {};
  }

  notify(method: string, params: unknown): void {
    this.connection.notify(Notification.of(method, params));
  }

  initialize(capabilities: unknown = {}): Promise<unknown> {
    return this.result("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
  }

  /** Initializes, opens a session and returns its id. */
  async session(mcpServers: readonly unknown[] = []): Promise<string> {
    await this.initialize();
    const opened = (await this.result("session/new", { cwd: "/w", mcpServers })) as { sessionId: string };
    return opened.sessionId;
  }

  prompt(sessionId: string, ...script: readonly string[]): Promise<unknown> {
    return this.result("session/prompt", { sessionId, prompt: [{ type: "text", text: script.join("\n") }] });
  }

  /** Returns the messages that the agent reports as received. */
  async agentReceived(): Promise<{ kind: string; method: string; params?: unknown }[]> {
    const { received } = (await this.result("_test/received")) as {
      received: { kind: string; method: string; params?: unknown }[];
    };
    return received;
  }

  process(name: string): MemoryProcess {
    const process = this.processes.get(name);
    if (!process) throw new Error(`no process ${name}`);
    return process;
  }

  #start(name: string, program: Program | undefined, handlers: ProcessHandlers): MemoryProcess {
    const [near, far] = memoryChannelPair(1_000);
    const heard: ProcessHandlers = {
      line: (line) => {
        this.#record(name, "conductor", line);
        handlers.line(line);
      },
      oversize: (line) => handlers.oversize(line),
      end: () => handlers.end(),
      stalled: (ms) => handlers.stalled(ms),
    };
    const process = new MemoryProcess(far, near, heard, (line) => this.#record("conductor", name, line));
    this.processes.set(name, process);
    program?.(process);
    return process;
  }
}

/** Everything that is due in microtasks has happened, and one turn of the event loop. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Runs `body` with a stage that is ended afterwards. */
export async function onStage(options: StageOptions, body: (stage: Stage) => Promise<void>): Promise<void> {
  await using stage = new Stage(options);
  await body(stage);
}

/** An agent that is played by the test: it answers by a table, and speaks when the test makes it. */
export class PlayedAgent implements Agent {
  readonly name = "played agent";
  readonly peer: RecordingPeer;
  #client: Peer | undefined;

  constructor(answers: Readonly<Record<string, Answer>> = {}) {
    this.peer = new RecordingPeer({
      initialize: { protocolVersion: 1 },
      "session/new": { sessionId: "s" },
      ...answers,
    });
  }

  connect(client: Peer): { fromClient: Peer } {
    this.#client = client;
    return { fromClient: this.peer };
  }

  /** The side toward the editor. */
  get client(): Peer {
    if (!this.#client) throw new Error("the agent has not joined a chain");
    return this.#client;
  }

  ask(method: string, params: unknown): Promise<Outcome> {
    return ask(this.client, Request.of(method, params));
  }
}
