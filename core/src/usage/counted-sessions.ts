import { asObject, parsedObject } from "../rpc/json.js";
import type { SessionLog, SessionLogs, SessionOpening } from "../conversations/session-log.js";
import { isRun } from "./run-command.js";
import { rateLimitOf, SessionCost, tokensOf } from "./agent-figures.js";
import { TurnCalls } from "./turn-calls.js";
import type { AgentLimit } from "./usage-table.js";
import { dayOf, noUsage, usageFigures, type UsageFigures, type UsageRow } from "./usage-row.js";

/** Takes what turns came to. Nothing throws, and nothing waits. */
export interface UsageStore {
  add(row: UsageRow): void;
  /** What an agent says of a limit takes the place of what it said before. */
  limit(limit: AgentLimit): void;
}

/** Counts what turns of sessions come to, turn by turn, beside those who keep what is said. No contents leave it. */
export class CountedSessions implements SessionLogs, AsyncDisposable {
  readonly #reading = new Set<Promise<void>>();

  /** `now` is in milliseconds since 1970. */
  constructor(
    private readonly store: UsageStore,
    private readonly now: () => number = Date.now,
  ) {}

  open(opening: SessionOpening): CountedSession {
    return new SessionCount(opening, this.store, this.now, (work) => {
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

/** One session, which tells also what its turn has come to so far. */
export interface CountedSession extends SessionLog {
  /** Of the turn that runs; tokens are known at its end. */
  running(): UsageFigures;
}

class SessionCount implements CountedSession {
  readonly #calls = new TurnCalls();
  readonly #cost: SessionCost;
  #isReplay = false;
  #agent: string;
  /** In milliseconds since 1970, while a turn runs. */
  #startedAt: number | undefined;

  constructor(
    private readonly opening: SessionOpening,
    private readonly store: UsageStore,
    private readonly now: () => number,
    private readonly later: (work: Promise<void>) => void,
  ) {
    this.#agent = opening.agent;
    this.#cost = new SessionCost(opening.hasHistory);
  }

  replays(): void {
    this.#isReplay = true;
  }

  replayed(): void {
    this.#isReplay = false;
  }

  update(params: string): void {
    if (params.includes('"usage_update"')) this.#usage(params);
    if (!this.#isReplay) this.#calls.update(params);
  }

  /** What it runs counts; what it costs is in its parent's figures. */
  child(params: string): void {
    if (!this.#isReplay) this.#calls.update(params);
  }

  #usage(params: string): void {
    const update = asObject(parsedObject(params)?.["update"]);
    if (update?.["sessionUpdate"] !== "usage_update") return;
    this.#cost.update(update);
    const limit = this.#isReplay ? undefined : rateLimitOf(update);
    if (limit) this.store.limit({ agent: this.#agent, ...limit });
  }

  prompt(): void {
    this.#startedAt = this.now();
  }

  running(): UsageFigures {
    return { ...noUsage, ...this.#turn(), toolCalls: this.#calls.count, microDollars: this.#cost.growth };
  }

  #turn(): Pick<UsageFigures, "turns" | "seconds"> {
    if (this.#startedAt === undefined) return { turns: 0, seconds: 0 };
    return { turns: 1, seconds: Math.max(0, this.now() - this.#startedAt) / 1_000 };
  }

  permission(params: string, answer: string): void {
    this.#calls.permission(params, answer);
  }

  end(answer: string, agent: string): void {
    this.#agent = agent;
    this.#count({ ...noUsage, ...tokensOf(answer) });
  }

  /** A turn that never ended has run what it ran. */
  close(): void {
    this.#count();
  }

  #count(tokens = noUsage): void {
    const { turns, seconds } = this.#turn();
    this.#startedAt = undefined;
    const toolCalls = this.#calls.count;
    const { toolRuns, commandLines } = this.#calls.take();
    this.#add({
      ...tokens,
      turns,
      toolCalls,
      seconds: Math.round(seconds),
      toolRuns,
      microDollars: this.#cost.take(),
    });
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
