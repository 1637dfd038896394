import {
  type Command,
  Connection,
  type ComponentProcess,
  type Logger,
  Outcome,
  type Peer,
  RpcError,
  type StartProcess,
} from "@symposium-dev/core";
import { AgentFailure, AgentRefusal } from "./agent-failure.js";
import { call } from "./call.js";
import { exitFailure } from "./exit-failure.js";
import { type InitializedAgent, parseInitialized } from "./initialized-agent.js";
import { soon } from "./soon.js";
import { wire, type WireObject } from "./wire.js";

export interface AgentProcessOptions {
  /** The agent's name, for people. */
  readonly name: string;
  readonly command: Command;
  readonly startProcess: StartProcess;
  /** Answers what the agent asks. */
  readonly inbound: Peer;
  readonly clientCapabilities: WireObject;
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly logger: Logger;
  /** Until `initialize` is answered; a first start may download the agent. Default 180 s. */
  readonly startupTimeoutMs?: number;
}

/** Characters of one message; longer ones are refused, the connection goes on. */
export const maxLineLength = 256 * 1024 * 1024;

/**
 * One running agent with its raw connection: content that nobody here knows passes unharmed. Owns the process;
 * disposing ends it and resolves with it gone.
 */
export class AgentProcess implements AsyncDisposable {
  readonly peer: Peer;
  /** Rejects with {@link AgentFailure} when the agent does not come up. */
  readonly initialized: Promise<InitializedAgent>;
  /** Resolves when the process is gone: with the reason, or with undefined when we ended it. */
  readonly ended: Promise<AgentFailure | undefined>;
  readonly #process: ComponentProcess;
  readonly #options: AgentProcessOptions;
  #isDisposed = false;

  constructor(options: AgentProcessOptions) {
    this.#options = options;
    const { name, command, startProcess, inbound, logger } = options;
    const connection = new Connection({
      send: (line) => this.#process.send(line),
      inbound,
      answersGarbage: false,
      onSkipped: (reason) => logger.warn("skipped a line of the agent", { reason }),
    });
    this.peer = connection;
    this.#process = startProcess(name, command, {
      line: (line) => connection.receive(line),
      oversize: (line) => connection.receiveOversize(line, maxLineLength),
      stalled: (ms) => logger.warn("the agent reads no input", { ms }),
      end: () => undefined,
    });
    this.ended = this.#process.exited.then((exit) => {
      const failure = this.#isDisposed ? undefined : exitFailure(name, exit);
      connection.close(Outcome.error(RpcError.internal(failure?.message ?? `${name} was ended.`)));
      return failure;
    });
    this.initialized = this.#initialize();
    this.initialized.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#process[Symbol.asyncDispose]();
  }

  async #initialize(): Promise<InitializedAgent> {
    const { name, clientCapabilities, clientInfo, logger, startupTimeoutMs = 180_000 } = this.#options;
    const params = { protocolVersion: 1, clientCapabilities, clientInfo };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(startupTimeout(name, startupTimeoutMs)), startupTimeoutMs);
    });
    try {
      const agent = parseInitialized(await Promise.race([call(this.peer, wire.initialize, params), timeout]));
      logger.info("initialized", { agent: agent.info, pid: this.pid });
      return agent;
    } catch (thrown) {
      throw await this.#startFailure(thrown);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The best account of a start that failed: what a component said of itself, else how the process ended. */
  async #startFailure(thrown: unknown): Promise<AgentFailure> {
    if (thrown instanceof AgentFailure) return thrown;
    if (!(thrown instanceof AgentRefusal)) throw thrown;
    const reported = thrown.failure;
    if (reported) return reported;
    const exit = await soon(this.ended);
    return exit ?? new AgentFailure("component-start-failed", thrown.message);
  }
}

function startupTimeout(name: string, ms: number): AgentFailure {
  return new AgentFailure(
    "startup-timeout",
    `${name} did not answer within ${Math.round(ms / 1000)} s after its start.`,
    "A first start may have to download it: try again. The log may say what it waits for.",
  );
}
