import { type LogEvent, Logger } from "../../src/base/logger.js";
import type { Agent } from "../../src/conductor/agent.js";
import type { ProxyComponent } from "../../src/conductor/component.js";
import type { ComponentProcess, ProcessExit, ProcessHandlers } from "../../src/conductor/component-process.js";
import { Conductor, type ConductorOptions } from "../../src/conductor/conductor.js";
import type { ChainFailure } from "../../src/conductor/failure.js";
import type { Proxy } from "../../src/conductor/proxy.js";
import type { McpBridge } from "../../src/mcp/mcp-bridge.js";
import type { McpServer } from "../../src/mcp/mcp-server.js";
import { Connection } from "../../src/rpc/connection.js";
import { Json } from "../../src/rpc/json.js";
import { Notification, type Outcome, Request } from "../../src/rpc/message.js";
import { ask } from "../../src/rpc/peer.js";
import { connectionOver } from "../../src/testing/connection-over.js";
import { inProcessFaults } from "../../src/testing/faults.js";
import { type MemoryChannel, memoryChannelPair } from "../../src/testing/memory-channel.js";
import type { RecordingPeer } from "../../src/testing/recording-peer.js";
import { ScriptedAgent } from "../../src/testing/scripted-agent.js";
import { scriptedClient, type ScriptedClientOptions } from "../../src/testing/scripted-client.js";
import { wireDialects, type WireDialectName } from "../../src/testing/wire-dialect.js";
import { WireProxy, type WireProxyOptions } from "../../src/testing/wire-proxy.js";

/** A component's process as far as a chain sees it: what the component does is written in the test. */
export class MemoryProcess implements ComponentProcess {
  readonly pid = 1;
  readonly exited: Promise<ProcessExit>;
  isDisposed = false;
  readonly #channel: MemoryChannel;
  #exit: (exit: ProcessExit) => void = () => undefined;

  constructor(
    /** The component's end: what it sends the chain receives. */
    readonly far: MemoryChannel,
    near: MemoryChannel,
    readonly handlers: ProcessHandlers,
  ) {
    this.#channel = near;
    this.exited = new Promise((resolve) => (this.#exit = resolve));
    near.start({
      line: handlers.line.bind(handlers),
      oversize: handlers.oversize.bind(handlers),
      end: () => handlers.end(),
    });
  }

  /** Ends by itself. */
  exit(exit: Partial<ProcessExit>): void {
    this.#exit({ code: null, signal: null, stderrTail: "", ...exit });
  }
  get isCongested(): boolean {
    return this.#channel.isCongested;
  }
  send(line: string): void {
    this.#channel.send(line);
  }
  onCongestion(listener: () => void): void {
    this.#channel.onCongestion(listener);
  }
  pause(): void {
    this.#channel.pause();
  }
  resume(): void {
    this.#channel.resume();
  }
  [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
    this.exit({ code: 0 });
    return Promise.resolve();
  }
}

/** What runs in a memory process, told its own end of the wire. */
export type Program = (process: MemoryProcess) => void;

/** A program that is a proxy of one of the generations. */
export function wireProxy(dialect: WireDialectName, options: Partial<Omit<WireProxyOptions, "dialect">> = {}): Program {
  return (process) => {
    const faults = { ...inProcessFaults, writeStderr: () => undefined, exit: (code: number) => process.exit({ code }) };
    const send = (line: string): void => process.far.send(line);
    const proxy = new WireProxy({ dialect: wireDialects[dialect], send, faults, ...options });
    process.far.start({ line: (line) => proxy.receive(line), oversize: () => undefined, end: () => undefined });
  };
}

/** A program that is an agent. */
export function agentProgram(agent: Agent): Program {
  return (process) => void connectionOver(process.far, (client) => agent.connect(client).fromClient);
}

/** A program that only writes down what it gets; the test speaks for it. */
export function listener(lines: string[]): Program {
  return (process) =>
    process.far.start({ line: (line) => lines.push(line), oversize: () => undefined, end: () => undefined });
}

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
  /** Absent: a scripted agent. Null: none, so that the conductor is a proxy itself. */
  readonly agent?: Agent | Program | null;
  readonly client?: ScriptedClientOptions;
  readonly startupTimeoutMs?: number;
  /** More of the conductor's options. */
  readonly conductor?: Partial<ConductorOptions>;
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

  constructor({
    proxies = [],
    agent = new ScriptedAgent(),
    client,
    startupTimeoutMs = 60_000,
    conductor,
  }: StageOptions = {}) {
    this.client = scriptedClient(client);
    const programs = new Map<string, Program>();
    const process = (name: string, program: Program): ProxyComponent & { kind: "process" } => {
      programs.set(name, program);
      return { kind: "process", name, command: { command: name, args: [], env: {} } };
    };
    // Our own end of the client's wire: ids are restored, cancellations are sent, as by a real editor.
    const clientSide = new Connection({
      send: (line) => {
        this.sent.push(line);
        serverSide.receive(line);
      },
      inbound: this.client,
      answersGarbage: true,
    });
    const serverSide: Connection = new Connection({
      send: (line) => clientSide.receive(line),
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
        maxLineLength: 1_000_000,
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

  /** What the agent has received, by its own account: methods and parameters. */
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
    const process = new MemoryProcess(far, near, handlers);
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
