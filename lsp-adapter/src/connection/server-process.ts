import type { ChildProcess } from "node:child_process";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { type Command, isDoneWithin, type Logger } from "@symposium-dev/core";
import { type ProcessTree, processTree, startProgram, StderrTail, type Watchdog } from "@symposium-dev/core/node";

/** What a language server is started with. */
interface ServerCommand extends Command {
  readonly cwd: string;
}

export interface ServerProcessOptions {
  /** Ends the server when this process is killed. */
  readonly watchdog: Watchdog;
  readonly logger: Logger;
  /** What the server inherits. */
  readonly env: NodeJS.ProcessEnv;
}

/** From the end of input to SIGTERM, and from there to SIGKILL. */
const graceMs = 700;
/** How long what a server leaves behind has from SIGTERM to SIGKILL. */
const leftoverGraceMs = 200;

/** A language server's process and all that it starts. Disposing ends it, and resolves with all of it gone. */
export class ServerProcess implements AsyncDisposable {
  /** Resolves, and never rejects, with a sentence on how it ended. */
  readonly exited: Promise<string>;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly #tree: ProcessTree | undefined;
  readonly #stderr: StderrTail;
  #swept: Promise<unknown> | undefined;
  #ending: Promise<void> | undefined;
  #hasExited = false;

  /** `child` is undefined where it could not start, for the reason `startError`. */
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
      // Its first children are known from now on, also if it is killed.
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

  /** Starts it; a program that cannot start has ended. */
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

  /** Ends it without a grace. */
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
