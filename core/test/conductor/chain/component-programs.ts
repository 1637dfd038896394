import type { ComponentProcess, ProcessExit, ProcessHandlers } from "../../../src/base/component-process.js";
import type { Agent } from "../../../src/conductor/chain/component.js";
import { inProcessFaults } from "../../../testing/faults.js";
import { connectionOver, type MemoryChannel } from "../../../testing/memory-channel.js";
import { type WireDialectName, wireDialects } from "../../../testing/wire-dialect.js";
import { WireProxy, type WireProxyOptions } from "../../../testing/wire-proxy.js";

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
    private readonly onSent: (line: string) => void,
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
    this.onSent(line);
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

/** Program that runs in a memory process and communicates through the process's `far` end. */
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

/** An MCP server that answers nothing but its own first message. */
export function mcpServer(refusal: object, greeting: "initialize" | "server/discover"): Program {
  const serverInfo = { name: "server", version: "1.0.0" };
  const answer =
    greeting === "initialize"
      ? { protocolVersion: "2025-06-18", capabilities: {}, serverInfo }
      : { supportedVersions: ["2026-07-28"], capabilities: {} };
  return ({ far }) =>
    far.start({
      line(line) {
        const { id, method, params } = JSON.parse(line) as { id: number; method: string; params: object };
        const isGreeting = method === greeting && !("protocolVersion" in params && params.protocolVersion === 1);
        far.send(JSON.stringify({ jsonrpc: "2.0", id, ...(isGreeting ? { result: answer } : { error: refusal }) }));
      },
      oversize: () => undefined,
      end: () => undefined,
    });
}
