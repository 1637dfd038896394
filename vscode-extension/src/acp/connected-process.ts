import * as l10n from "@vscode/l10n";
import {
  AgentFailure,
  type Command,
  type ComponentProcess,
  Connection,
  type Logger,
  Outcome,
  type Peer,
  type ProcessExit,
  RpcError,
  type StartProcess,
} from "@symposium-dev/core";
import { messageLimit } from "./user-config.js";

export interface ConnectedProcessOptions {
  /** Display name, with which failure messages start. */
  readonly name: string;
  readonly command: Command;
  readonly startProcess: StartProcess;
  readonly inbound: Peer;
  readonly logger: Logger;
}

/**
 * Process of the command with its raw connection, which forwards unknown content unmodified. When the process exits, all pending requests
 * fail with the reason. Disposing ends it and resolves after its exit.
 */
export class ConnectedProcess implements AsyncDisposable {
  readonly peer: Peer;
  /** Resolves when the process has exited, with the reason for the exit, or with undefined if the object was disposed. */
  readonly ended: Promise<AgentFailure | undefined>;
  /** Reason for the exit, set before pending requests fail. */
  failure: AgentFailure | undefined;
  readonly #process: ComponentProcess;
  #isDisposed = false;

  constructor({ name, command, startProcess, inbound, logger }: ConnectedProcessOptions) {
    const connection = new Connection({
      send: (line) => this.#process.send(line),
      inbound,
      answersGarbage: false,
      onSkipped: (reason) => logger.warn("skipped a line", { process: name, reason }),
    });
    this.peer = connection;
    const maxLineBytes = messageLimit();
    this.#process = startProcess(name, command, {
      line: (line) => connection.receive(line),
      oversize: (line) => connection.receiveOversize(line, maxLineBytes),
      stalled: (ms) => logger.warn("a process isn't reading its input", { process: name, ms }),
      end: () => undefined,
    });
    this.ended = this.#process.exited.then((exit) => {
      this.failure = this.#isDisposed ? undefined : exitFailure(name, exit);
      connection.close(Outcome.error(RpcError.internal(this.failure?.message ?? l10n.t("{0} was stopped.", name))));
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

/** Describes an unexpected exit. `name` is the display name. */
function exitFailure(name: string, { code, signal, startError, stderrTail }: ProcessExit): AgentFailure {
  const details = stderrTail === "" ? undefined : stderrTail;
  if (startError !== undefined) {
    const hint = l10n.t("Check symposium.acpAgentPath, or reinstall the extension.");
    return new AgentFailure(
      "component-start-failed",
      l10n.t("{0} could not be started ({1}).", name, startError),
      hint,
      details,
    );
  }
  const text =
    signal === null
      ? l10n.t("{0} exited with code {1}.", name, code ?? l10n.t("unknown"))
      : l10n.t("{0} crashed ({1}).", name, signal);
  return new AgentFailure("component-exited", text, undefined, details);
}
