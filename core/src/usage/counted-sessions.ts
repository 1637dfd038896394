import type { SessionLog, SessionLogs, SessionOpening } from "../conversations/session-log.js";
import { isRun } from "./run-command.js";
import { TurnCalls } from "./turn-calls.js";
import { dayOf, noUsage, usageFigures, type UsageFigures, type UsageRow } from "./usage-row.js";

/** Takes what turns came to. Nothing throws, and nothing waits. */
export interface UsageStore {
  add(row: UsageRow): void;
}

/** Counts what turns of sessions come to, turn by turn, beside those who keep what is said. No contents leave it. */
export class CountedSessions implements SessionLogs, AsyncDisposable {
  readonly #reading = new Set<Promise<void>>();

  /** `now` is in milliseconds since 1970. */
  constructor(
    private readonly store: UsageStore,
    private readonly now: () => number = Date.now,
  ) {}

  open(opening: SessionOpening): SessionLog {
    return new CountedSession(opening, this.store, this.now, (work) => {
      this.#reading.add(work);
      void work.finally(() => this.#reading.delete(work));
    });
  }

  /** Resolves when the store has everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#reading);
  }

  /** What it came to stays: it was used. */
  forget(): void {
    // Nothing to do.
  }
}

class CountedSession implements SessionLog {
  readonly #calls = new TurnCalls();
  #isReplay = false;
  #agent: string;

  constructor(
    private readonly opening: SessionOpening,
    private readonly store: UsageStore,
    private readonly now: () => number,
    private readonly later: (work: Promise<void>) => void,
  ) {
    this.#agent = opening.agent;
  }

  replays(): void {
    this.#isReplay = true;
  }

  replayed(): void {
    this.#isReplay = false;
  }

  update(params: string): void {
    if (!this.#isReplay) this.#calls.update(params);
  }

  prompt(): void {
    // A turn counts when it ends.
  }

  permission(params: string, answer: string): void {
    this.#calls.permission(params, answer);
  }

  end(_answer: string, agent: string): void {
    this.#agent = agent;
    this.#count();
  }

  /** A turn that never ended has run what it ran. */
  close(): void {
    this.#count();
  }

  #count(): void {
    const { toolRuns, commandLines } = this.#calls.take();
    this.#add({ ...noUsage, toolRuns });
    if (commandLines.length > 0) this.later(this.#countShell(commandLines));
  }

  /** The parser is read with the first command line that may run tests. */
  async #countShell(commandLines: readonly string[]): Promise<void> {
    const { namedPrograms } = await import("../safety/named-programs.js");
    const runs = commandLines.filter((text) => namedPrograms(text).some((words) => isRun(words)));
    this.#add({ ...noUsage, shellRuns: runs.length });
  }

  #add(figures: UsageFigures): void {
    if (usageFigures.every((figure) => figures[figure] === 0)) return;
    this.store.add({ day: dayOf(this.now()), agent: this.#agent, folder: this.opening.cwd, ...figures });
  }
}
