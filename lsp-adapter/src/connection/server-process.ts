import type { ChildProcess } from "node:child_process";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { type Command, isDoneWithin, type Logger } from "@symposium-dev/core";
import { type ProcessTree, processTree, startProgram, StderrTail, type Watchdog } from "@symposium-dev/core/node";

interface ServerCommand extends Command {
  readonly cwd: string;
}

export interface ServerProcessOptions {
  /** Ends the server if this process is killed. */
  readonly watchdog: Watchdog;
  readonly logger: Logger;
  readonly env: NodeJS.ProcessEnv;
}

/** Milliseconds from the end of input to SIGTERM, and from SIGTERM to SIGKILL. */
const graceMs = 700;
/** Milliseconds from SIGTERM to SIGKILL for processes that a server leaves behind. */
const leftoverGraceMs = 200;

/** Process of a language server with its children. Disposing resolves when all have ended. */
export class ServerProcess implements AsyncDisposable {
  /** Resolves with a sentence about the exit; never rejects. */
  readonly exited: Promise<string>;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly #tree: ProcessTree | undefined;
  readonly #stderr: StderrTail;
  #swept: Promise<unknown> | undefined;
  #ending: Promise<void> | undefined;
  #hasExited = false;

  /** `child` is undefined if the process couldn't be started; `startError` is the reason. */
  private constructor(
    private readonly child: ChildProcess | undefined,
    startError: string,
    { watchdog, logger }: ServerProcessOptions,
  ) {
    this.#stderr = new StderrTail((line) => logger.debug("stderr", { line }));
    child?.stderr?.setEncoding("utf8").on("data", (chunk: string) => this.#stderr.push(chunk));
    this.stdin = child?.stdin ?? new PassThrough();
    this.stdout = child?.stdout ?? new PassThrough();
    for (const stream of [this.stdin, this.stdout, child?.stderr]) stream?.on("error", () => undefined);
    const pid = child?.pid;
    if (pid !== undefined) {
      this.#tree = processTree(pid);
      // Records the first children, in case the process is killed.
      void this.#tree.observe();
    }
    this.exited = new Promise<string>((resolve) => {
      if (!child) resolve(`could not start: ${startError}`);
      child?.once("error", (error) => resolve(`could not start: ${error.message}`));
      child?.once("exit", (code, signal) => resolve(`ended with ${signal ?? `exit code ${code ?? "unknown"}`}`));
    }).then((how) => {
      this.#hasExited = true;
      this.#swept = this.#tree?.endLeftovers(leftoverGraceMs).finally(() => pid !== undefined && watchdog.remove(pid));
      const said = this.#stderr.text.split("\n").slice(-3).join(" | ");
      return said === "" ? how : `${how}: ${said}`;
    });
  }

  /** Starts the process. A failed start is reported as an exit. */
  static start(command: ServerCommand, options: ServerProcessOptions): ServerProcess {
    const { env, watchdog } = options;
    const started = startProgram(command, { env, watchdog, stdio: "pipe", confined: "not asked for" });
    return "child" in started
      ? new ServerProcess(started.child, "", options)
      : new ServerProcess(undefined, started.startError, options);
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Ends the process without a grace period. */
  async kill(): Promise<void> {
    await this.#tree?.observe();
    this.#tree?.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (!this.#hasExited) await this.#tree?.observe();
    this.stdin.end();
    if (!(await isDoneWithin(this.exited, graceMs))) {
      this.#tree?.terminate();
      if (!(await isDoneWithin(this.exited, graceMs))) await this.kill();
    }
    await this.exited;
    await this.#swept;
    for (const stream of [this.stdin, this.stdout, this.child?.stderr]) stream?.destroy();
  }
}
