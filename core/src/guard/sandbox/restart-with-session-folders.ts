import type { ComponentProcess, ProcessExit, ProcessHandlers, StartProcess } from "../../base/component-process.js";
import type { Command } from "../../base/command.js";

type StartWithRoots = (roots: readonly string[], ...given: Parameters<StartProcess>) => ComponentProcess;

/**
 * Agent process in a sandbox, whose folders must be set at the start, before the editor names a session's folders. Starts with the likely
 * folders; if the first session has others, restarts and sends the same first messages. The owner sees a single process.
 */
export class SandboxedAgent implements ComponentProcess {
  readonly exited: Promise<ProcessExit>;
  #resolveExited: (exit: ProcessExit) => void = () => undefined;
  #process: ComponentProcess;
  /** Messages before the first session; undefined once a session has started. */
  #greeting: string[] | undefined = [];
  /** Ids of the requests among the first messages that haven't been answered. */
  readonly #asked = new Set<string>();
  /** Ids of requests that the previous process has answered. The restarted process's answers to them are dropped. */
  readonly #answered = new Set<string>();
  #greeted: () => void = () => undefined;
  #waiting: string[] | undefined;
  readonly #congestionListeners: (() => void)[] = [];
  #isBetween = false;
  #isPaused = false;
  #isDisposed = false;

  constructor(
    private readonly start: StartWithRoots,
    private readonly given: {
      readonly name: string;
      readonly command: Command;
      readonly handlers: ProcessHandlers;
      /** Adds facts about the sandbox to a process exit. */
      readonly explain?: (exit: ProcessExit) => Promise<ProcessExit>;
    },
    private roots: readonly string[],
  ) {
    this.exited = new Promise((resolve) => (this.#resolveExited = resolve));
    this.#process = this.#begin();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isCongested(): boolean {
    return this.#process.isCongested;
  }

  /** Folders that the agent may write to. */
  get workspaceRoots(): readonly string[] {
    return this.roots;
  }

  /** Whether no session has started yet, so that the sandbox's folders can still change. */
  get canRestart(): boolean {
    return this.#greeting !== undefined;
  }

  /** Called when a session starts. The sandbox's folders can't change after that. */
  settle(): void {
    this.#greeting = undefined;
  }

  /** Restarts the agent with other folders and sends its first messages again. Only possible while {@link canRestart} is true. */
  async restart(roots: readonly string[]): Promise<void> {
    const greeting = this.#greeting ?? [];
    const old = this.#process;
    this.#waiting = [];
    this.roots = roots;
    this.#isBetween = true;
    await old[Symbol.asyncDispose]();
    if (this.#isDisposed) return;
    this.#process = this.#begin();
    this.#isBetween = false;
    const again = new Promise<void>((resolve) => (this.#greeted = resolve));
    for (const line of greeting) {
      const id = requestId(line);
      if (id !== undefined && !this.#asked.has(id)) this.#answered.add(id);
      this.#process.send(line);
    }
    if (this.#answered.size > 0) await Promise.race([again, this.#process.exited]);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const line of waiting) this.send(line);
  }

  send(line: string): void {
    if (this.#waiting) {
      this.#waiting.push(line);
      return;
    }
    if (this.#greeting) {
      this.#greeting.push(line);
      const id = requestId(line);
      if (id !== undefined) this.#asked.add(id);
    }
    this.#process.send(line);
  }

  onCongestion(listener: () => void): void {
    this.#congestionListeners.push(listener);
    this.#process.onCongestion(listener);
  }

  pause(): void {
    this.#isPaused = true;
    this.#process.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#process.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    const process = this.#process;
    await process[Symbol.asyncDispose]();
    this.#resolveExited(await process.exited);
    await this.exited;
  }

  #begin(): ComponentProcess {
    const { name, command, handlers } = this.given;
    const isCurrent = (): boolean => this.#process === process && !this.#isBetween;
    const process: ComponentProcess = this.start(this.roots, name, command, {
      line: (line) => {
        if (isCurrent() && !this.#isRepeated(line)) handlers.line(line);
      },
      oversize: (line) => {
        if (isCurrent()) handlers.oversize(line);
      },
      end: () => {
        if (isCurrent()) handlers.end();
      },
      stalled: (ms) => {
        if (isCurrent()) handlers.stalled(ms);
      },
    });
    for (const listener of this.#congestionListeners) process.onCongestion(listener);
    if (this.#isPaused) process.pause();
    void process.exited.then((exit) => {
      const { explain } = this.given;
      if (this.#isDisposed || !explain) {
        if (this.#isDisposed || isCurrent()) this.#resolveExited(exit);
      } else if (isCurrent()) void explain(exit).then(this.#resolveExited);
    });
    return process;
  }

  /** Returns whether a line repeats an answer that the previous process already gave. */
  #isRepeated(line: string): boolean {
    if (this.#asked.size === 0 && this.#answered.size === 0) return false;
    const id = answerId(line);
    if (id === undefined) return false;
    this.#asked.delete(id);
    const isRepeated = this.#answered.delete(id);
    if (isRepeated && this.#answered.size === 0) this.#greeted();
    return isRepeated;
  }
}

function requestId(line: string): string | undefined {
  const { id, method } = read(line);
  return typeof method === "string" && id !== undefined ? JSON.stringify(id) : undefined;
}

function answerId(line: string): string | undefined {
  const { id, method } = read(line);
  return method === undefined && id !== undefined ? JSON.stringify(id) : undefined;
}

function read(line: string): { readonly id?: unknown; readonly method?: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
