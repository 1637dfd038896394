import { isDoneWithin } from "../until-aborted.js";
import type { ChildProcess } from "node:child_process";
import { LineSplitter } from "../line-splitter.js";
import type { Logger } from "../logger.js";
import type { ComponentProcess, ProcessExit, ProcessHandlers, StartProcess } from "../component-process.js";
import type { Command } from "../command.js";
import type { Confined, SandboxFault } from "./confinement.js";
import { LineWriter } from "./line-writer.js";
import { type ProcessTree, processTree } from "./process-tree.js";
import { StallClock } from "./stall-clock.js";
import { startProgram } from "./start-program.js";
import { StderrTail } from "./stderr-tail.js";
import type { Watchdog } from "./orphan-watchdog.js";

export interface StartProcessOptions {
  readonly logger: Logger;
  readonly watchdog: Watchdog;
  /** Environment inherited by components; default is this process's. */
  readonly env?: NodeJS.ProcessEnv;
  readonly confined?: Confined;
  /** Folders writable by agents; never searched for programs. */
  readonly notFrom?: readonly string[];
  readonly onStderr?: (line: string) => void;
  /** Maximum length of a line; longer lines are counted but not stored. */
  readonly maxLineBytes?: number;
  readonly stallTimeoutMs?: number;
  /** Time from the end of input to SIGTERM; default {@link defaultGraceMs}. */
  readonly graceMs?: number;
  /** Time from SIGTERM to SIGKILL, in which a component can save its state. */
  readonly terminationMs?: number;
}

/** Time from the end of input to the next step: SIGTERM, or on Windows, which has no SIGTERM, an immediate kill. */
const defaultGraceMs = process.platform === "win32" ? 1_000 : 250;
const defaultTerminationMs = 2_750;

/** Time from SIGTERM to SIGKILL for processes that a component leaves behind. */
const leftoverGraceMs = 300;
/** Maximum time for which stdout may stay open and silent after the exit, because a descendant may keep it open. */
const silenceAfterExitMs = 250;
/** Limit for a descendant that continues writing, in units of {@link silenceAfterExitMs}. */
const maxOutputTicksAfterExit = 20;

/** Starts components as child processes, each in a separate session and process group. */
export function startProcess(options: StartProcessOptions): StartProcess {
  return (name, command, handlers) => new ChildComponent(name, command, handlers, options);
}

class ChildComponent implements ComponentProcess {
  readonly exited: Promise<ProcessExit>;
  readonly #logger: Logger;
  readonly #splitter: LineSplitter;
  readonly #stderr: StderrTail;
  readonly #stallClock: StallClock;
  readonly #child: ChildProcess | undefined;
  readonly #writer: LineWriter | undefined;
  readonly #tree: ProcessTree | undefined;
  /** Resolves when the process has exited or failed to start; output may still arrive. */
  readonly #gone: Promise<void>;
  #markGone: () => void = () => undefined;
  #resolveExited: (exit: ProcessExit) => void = () => undefined;
  #exit: Omit<ProcessExit, "stderrTail"> | undefined;
  #fault: (() => Promise<SandboxFault | undefined>) | undefined;
  #swept: Promise<void> | undefined;
  #ending: Promise<void> | undefined;
  #outputTimer: NodeJS.Timeout | undefined;
  #chunks = 0;
  #isPaused = false;
  #isTerminated = false;
  #isFinished = false;

  constructor(
    name: string,
    command: Command,
    private readonly handlers: ProcessHandlers,
    private readonly options: StartProcessOptions,
  ) {
    this.exited = new Promise((resolve) => (this.#resolveExited = resolve));
    this.#gone = new Promise((resolve) => (this.#markGone = resolve));
    this.#logger = options.logger.child("process", { component: name });
    this.#splitter = new LineSplitter(handlers, options.maxLineBytes);
    this.#stderr = new StderrTail((line) => {
      this.#logger.debug("stderr", { line });
      options.onStderr?.(line);
    });
    this.#stallClock = new StallClock({
      timeoutMs: options.stallTimeoutMs ?? 60_000,
      progress: () => (this.#writer?.awaitsReader === true && !this.#isPaused ? this.#writer.writesTaken : undefined),
      stalled: (ms) => handlers.stalled(ms),
    });
    const { watchdog, env = process.env, confined = "not asked for", notFrom } = options;
    const started = startProgram(command, { env, watchdog, confined, notFrom, stdio: ["pipe", "pipe", "pipe"] });
    if ("startError" in started) {
      // Report the failure in the next tick, so that the caller has this object before its handlers are called.
      process.nextTick(() => this.#leave({ code: null, signal: null, startError: started.startError }));
      return;
    }
    this.#child = started.child;
    this.#fault = started.fault;
    if (started.child.pid !== undefined) {
      this.#tree = processTree(started.child.pid, { isConfined: typeof confined !== "string" });
      this.#logger.info("started", { pid: started.child.pid });
    }
    this.#writer = this.#connect(started.child);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  send(line: string): void {
    this.#writer?.send(line);
  }

  get isCongested(): boolean {
    return this.#writer?.isCongested ?? false;
  }

  onCongestion(listener: () => void): void {
    this.#writer?.onCongestion(listener);
  }

  pause(): void {
    if (this.#ending) return;
    this.#isPaused = true;
    this.#child?.stdout?.pause();
  }

  resume(): void {
    if (this.#ending) return;
    this.#isPaused = false;
    this.#stallClock.restart();
    this.#child?.stdout?.resume();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Attaches to the child. If the system is out of resources, streams are missing and an `error` event follows. */
  #connect(child: ChildProcess): LineWriter | undefined {
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) this.#leave({ code: null, signal: null, startError: error.code ?? error.message });
    });
    child.on("exit", (code, signal) => this.#leave({ code, signal }));
    child.on("close", () => this.#finish());
    child.stdout?.on("error", (error) => this.#logger.debug("stdout failed", { reason: error.message }));
    child.stdout?.setEncoding("utf8").on("data", this.#receive);
    child.stderr?.on("error", (error) => this.#logger.debug("stderr failed", { reason: error.message }));
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => this.#stderr.push(chunk));
    if (!child.stdin) return undefined;
    return new LineWriter(child.stdin, {
      onBroken: (reason) => this.#logger.debug("stdin is no longer read", { reason }),
    });
  }

  readonly #receive = (chunk: string): void => {
    this.#chunks++;
    this.#splitter.push(chunk);
  };

  #leave(exit: Omit<ProcessExit, "stderrTail">): void {
    if (this.#exit) return;
    this.#exit = exit;
    this.#stallClock[Symbol.dispose]();
    this.#markGone();
    this.#swept = this.#sweep();
    if (exit.startError === undefined) this.#awaitOutput();
    else this.#finish();
  }

  async #sweep(): Promise<void> {
    const pid = this.pid;
    if (!this.#tree || pid === undefined) return;
    const survivors = await this.#tree.endLeftovers(this.#isTerminated ? 0 : leftoverGraceMs);
    if (survivors.length > 0) this.#logger.warn("processes could not be ended", { pids: survivors.join(" ") });
    this.options.watchdog.remove(pid);
  }

  /** Limits the wait for the end of stdout. Time during which reading is paused doesn't count. */
  #awaitOutput(): void {
    let seen = this.#chunks;
    let ticks = 0;
    this.#outputTimer = setInterval(() => {
      if (this.#isPaused) return;
      if (this.#chunks === seen || ++ticks > maxOutputTicksAfterExit) this.#finish();
      seen = this.#chunks;
    }, silenceAfterExitMs);
  }

  #finish(): void {
    if (this.#isFinished || !this.#exit) return;
    this.#isFinished = true;
    clearInterval(this.#outputTimer);
    for (const stream of [this.#child?.stdin, this.#child?.stdout, this.#child?.stderr]) stream?.destroy();
    this.#stderr.end();
    this.#splitter.end();
    this.handlers.end();
    void this.#report(this.#exit);
  }

  async #report(left: Omit<ProcessExit, "stderrTail">): Promise<void> {
    const exit = { ...left, ...(await this.#fault?.()), stderrTail: this.#stderr.text };
    const { code, signal, startError } = exit;
    this.#logger.info("ended", { code: code ?? undefined, signal: signal ?? undefined, startError });
    this.#resolveExited(exit);
  }

  async #end(): Promise<void> {
    if (!this.#exit) await this.#tree?.observe();
    this.#writer?.end();
    if (this.#isPaused) this.#discardOutput();
    const { graceMs = defaultGraceMs, terminationMs = defaultTerminationMs } = this.options;
    if (!(await isDoneWithin(this.#gone, graceMs))) {
      await this.#tree?.observe();
      this.#isTerminated = true;
      this.#tree?.terminate();
      if (!(await isDoneWithin(this.#gone, terminationMs))) {
        await this.#tree?.observe();
        this.#tree?.kill();
      }
    }
    await this.exited;
    await this.#swept;
  }

  /** Resumes reading and drops the output, because a paused process may not exit before its output is read. */
  #discardOutput(): void {
    this.#isPaused = false;
    this.#child?.stdout?.off("data", this.#receive).resume();
  }
}
