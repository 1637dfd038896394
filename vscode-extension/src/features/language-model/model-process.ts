import {
  type Command,
  type ComponentProcess,
  Connection,
  type Logger,
  Outcome,
  type Peer,
  RpcError,
  type StartProcess,
} from "@symposium-dev/core";
import type { AgentFailure } from "../../acp/agent-failure.js";
import { maxLineLength } from "../../acp/agent-process.js";
import { exitFailure } from "../../acp/exit-failure.js";

export interface ModelProcessOptions {
  readonly command: Command;
  readonly startProcess: StartProcess;
  /** Answers what the process asks. */
  readonly inbound: Peer;
  readonly logger: Logger;
}

const name = "The process for language models";

/** A running `vscodelm` and the connection to it. Disposing ends it with all its agents, and resolves with them gone. */
export class ModelProcess implements AsyncDisposable {
  readonly peer: Peer;
  /** Resolves when the process is gone: with the reason, or with undefined when we ended it. */
  readonly ended: Promise<AgentFailure | undefined>;
  /** Why it is gone, as soon as its requests are answered with it. */
  failure: AgentFailure | undefined;
  readonly #process: ComponentProcess;
  #isDisposed = false;

  constructor({ command, startProcess, inbound, logger }: ModelProcessOptions) {
    const connection = new Connection({
      send: (line) => this.#process.send(line),
      inbound,
      answersGarbage: false,
      onSkipped: (reason) => logger.warn("skipped a line of the process", { reason }),
    });
    this.peer = connection;
    this.#process = startProcess("vscodelm", command, {
      line: (line) => connection.receive(line),
      oversize: (line) => connection.receiveOversize(line, maxLineLength),
      stalled: (ms) => logger.warn("the process reads no input", { ms }),
      end: () => undefined,
    });
    this.ended = this.#process.exited.then((exit) => {
      this.failure = this.#isDisposed ? undefined : exitFailure(name, exit);
      connection.close(Outcome.error(RpcError.internal(this.failure?.message ?? `${name} was ended.`)));
      return this.failure;
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#process[Symbol.asyncDispose]();
  }
}
