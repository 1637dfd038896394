import { asObject, parsedObject } from "../../base/rpc/json.js";
import type { SessionLog, SessionLogs, SessionOpening } from "../conversations/session-log.js";
import { isRun } from "./test-or-build-command.js";
import { rateLimitOf, SessionCost, tokensOf, tokensOfChunk } from "./agent-figures.js";
import { listPriceOf } from "./list-price.js";
import { type CallObserver, TurnCalls } from "./turn-calls.js";
import type { AgentLimit } from "./usage-table.js";
import { addFigures, dayOf, noUsage, usageFigures, type UsageFigures, type UsageRow } from "./usage-row.js";

/** Receives usage counts of turns. Methods never throw or wait. */
export interface UsageStore {
  add(row: UsageRow): void;
  /** Records an account limit, replacing the earlier report about the same limit. */
  limit(limit: AgentLimit): void;
}

/** Observes what is counted. Methods never throw or wait. `session` is the editor's session id. */
export interface CountObserver {
  /** Called after each report about a counted call, with the call's members as reported so far. */
  call(session: string, ...report: Parameters<CallObserver>): void;
  /** Called with each count, before the session's log learns that the turn has ended. */
  counted(session: string, row: UsageRow): void;
}

/** Counts the usage of each turn. Stores no contents of the conversation. */
export class UsageCounter implements SessionLogs, AsyncDisposable {
  readonly #reading = new Set<Promise<void>>();

  /** `now` returns milliseconds since 1970. */
  constructor(
    private readonly store: UsageStore,
    private readonly now: () => number = Date.now,
    private readonly observer?: CountObserver,
  ) {}

  open(opening: SessionOpening): CountedSession {
    const later = (work: Promise<void>): void => {
      this.#reading.add(work);
      void work.finally(() => this.#reading.delete(work));
    };
    return new SessionCount(opening, this.store, this.now, later, this.observer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#reading);
  }

  /** Deleting a session doesn't undo its usage. */
  forget(): void {
    // Nothing to do.
  }
}

/** Maximum number of models without a known price to list; more names can't be real models. */
const maxUnpriced = 20;

export interface CountedSession extends SessionLog {
  /** Counts the call of a permission request before its answer; `params` are the request's parameters as sent. */
  asked(params: string): void;
  /** Usage of the running turn; most agents report tokens only at its end. */
  running(): UsageFigures;
  /** Whether the session's cost is known: the agent reports it, or its models have list prices. */
  readonly tellsCost: boolean;
  /** Models that the session used and whose price is unknown. */
  readonly unpriced: readonly string[];
}

class SessionCount implements CountedSession {
  readonly #calls: TurnCalls;
  readonly #cost: SessionCost;
  #isReplay = false;
  #agent: string;
  /** Number of unanswered prompts; some agents accept several at a time. */
  #openTurns = 0;
  /** Time in milliseconds since 1970 from which the duration still has to be counted. */
  #startedAt = 0;
  #isPriced = false;
  readonly #unpriced = new Set<string>();
  /** Tokens reported in message chunks. */
  #tokens = noUsage;

  constructor(
    private readonly opening: SessionOpening,
    private readonly store: UsageStore,
    private readonly now: () => number,
    private readonly later: (work: Promise<void>) => void,
    private readonly observer: CountObserver | undefined,
  ) {
    this.#calls = new TurnCalls(observer && ((...report) => observer.call(opening.id, ...report)));
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
    // Skip most updates quickly. The first letters of both words are rarer in JSON than quotes, so that the search is fast.
    if (!params.includes("usage") && !params.includes("tool_call")) return;
    if (params.includes('"usage_update"')) this.#usage(params);
    if (this.#isReplay) return;
    this.#calls.update(params);
    const tokens = tokensOfChunk(params);
    if (tokens) this.#tokens = addFigures(this.#tokens, tokens);
  }

  /** Counts a sub-agent's calls; its cost is part of the parent's. */
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
    if (this.#openTurns++ === 0) this.#startedAt = this.now();
  }

  running(): UsageFigures {
    const [turns, seconds] = [this.#openTurns, this.#seconds()];
    return { ...this.#tokens, turns, seconds, toolCalls: this.#calls.count, microDollars: this.#cost.growth };
  }

  get tellsCost(): boolean {
    return this.#cost.isTold || (this.#isPriced && this.#unpriced.size === 0);
  }

  get unpriced(): readonly string[] {
    return this.#cost.isTold ? [] : [...this.#unpriced];
  }

  #seconds(): number {
    return this.#openTurns === 0 ? 0 : Math.max(0, this.now() - this.#startedAt) / 1_000;
  }

  asked(params: string): void {
    this.#calls.asked(params);
  }

  permission(params: string, answer: string): void {
    this.#calls.permission(params, answer);
  }

  end(answer: string, agent: string): void {
    this.#agent = agent;
    this.#count(Math.min(1, this.#openTurns), tokensOf(answer), this.#priceOf(answer));
  }

  /** Returns the turn's list price in millionths of a dollar; 0 if the agent reports its own cost. */
  #priceOf(answer: string): number {
    const price = this.#cost.isTold ? undefined : listPriceOf(answer);
    if (!price) return 0;
    if (price.microDollars > 0) this.#isPriced = true;
    for (const model of price.unknown.slice(0, maxUnpriced - this.#unpriced.size)) this.#unpriced.add(model);
    return price.microDollars;
  }

  /** Counts turns that never ended. */
  close(): void {
    this.#count(this.#openTurns);
  }

  /** Counts usage since the last count. `told` are the tokens in the turn's result, which replace those reported during the turn. */
  #count(turns: number, told?: ReturnType<typeof tokensOf>, listed = 0): void {
    const seconds = Math.round(this.#seconds());
    this.#openTurns -= turns;
    this.#startedAt = this.now();
    const tokens = { ...this.#tokens, ...told };
    this.#tokens = noUsage;
    const toolCalls = this.#calls.count;
    const { toolRuns, commandLines } = this.#calls.take();
    this.#add({ ...tokens, turns, toolCalls, seconds, toolRuns, microDollars: this.#cost.take() + listed });
    if (commandLines.length > 0) this.later(this.#countShell(commandLines));
  }

  /** Load the parser for the first command line that may run tests. */
  async #countShell(commandLines: readonly string[]): Promise<void> {
    const { namedPrograms } = await import("../../base/safety/named-programs.js");
    const runs = commandLines.filter((text) => namedPrograms(text).some((words) => isRun(words)));
    this.#add({ ...noUsage, shellRuns: runs.length });
  }

  #add(figures: UsageFigures): void {
    if (usageFigures.every((figure) => figures[figure] === 0)) return;
    const row = { day: dayOf(this.now()), agent: this.#agent, folder: this.opening.cwd, ...figures };
    this.store.add(row);
    this.observer?.counted(this.opening.id, row);
  }
}
