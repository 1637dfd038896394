import type { SessionLog } from "../sessions/conversations/session-log.js";
import { type CountedSession, UsageCounter } from "../sessions/usage/usage-counter.js";
import { addFigures, dayOf, noUsage, type UsageFigures } from "../sessions/usage/usage-row.js";
import { amountOf, amountText, type Budget, type BudgetScope, numberText, spanText } from "./budget.js";

/** What the count of a session needs. */
export interface SessionParts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Opened {
  readonly id: string;
  readonly cwd: string;
  readonly hasHistory: boolean;
}

type Counted = Pick<Totals, "day" | "workspace">;
type Totals = Readonly<Record<BudgetScope, UsageFigures>>;

/** From there on the user is told of it. */
const warnedPart = 0.8;
const leastWaitMs = 100;

/** What a session has used of its budgets, counted as `usage` counts it. */
export class BudgetUse {
  readonly id: string;
  readonly cwd: string;
  /** What happens in it is to be told to this. */
  readonly count: Pick<SessionLog, "prompt" | "update" | "child" | "permission"> & Pick<CountedSession, "running">;
  readonly #counted: CountedSession;
  readonly #now: () => number;
  readonly #warned = new Set<string>();
  #budgets: readonly Budget[] = [];
  /** Of its turns that have ended. */
  #own = noUsage;
  /** What others have counted, and what was counted of this one by then: the file may know of its turns, or not yet. */
  #before: Totals = { session: noUsage, day: noUsage, workspace: noUsage };
  /** Since its first turn of a day. */
  #first: { readonly day: string; readonly counted: Counted; readonly own: UsageFigures } | undefined;
  readonly #untold = new Set<string>();

  /** `granted`: how much more than its limit each budget may take, by its key; all sessions of a chain share it. */
  constructor(
    opened: Opened,
    parts: SessionParts,
    private readonly granted: Map<string, number>,
  ) {
    [this.id, this.cwd, this.#now] = [opened.id, opened.cwd, parts.now];
    const add = (row: UsageFigures): void => {
      this.#own = addFigures(this.#own, row);
    };
    const sessions = new UsageCounter({ add, limit: () => undefined }, parts.now);
    this.#counted = sessions.open({ ...opened, agent: "agent" });
    this.count = this.#counted;
  }

  /** A turn begins under these budgets; `counted` is what the file of figures has. */
  begin(budgets: readonly Budget[], counted: Counted): void {
    this.#budgets = budgets;
    const day = dayOf(this.#now());
    // What was used yesterday is none of today's.
    if (this.#first?.day !== day) this.#first = { day, counted, own: this.#own };
    const first = this.#first;
    const since = addFigures(this.#own, negative(first.own));
    // Turns that have just ended, or that nobody keeps, are not in the file.
    const most = (scope: "day" | "workspace"): UsageFigures =>
      greatest(counted[scope], addFigures(first.counted[scope], since));
    this.#before = { session: this.#own, day: most("day"), workspace: most("workspace") };
  }

  /** A turn has ended with this answer. */
  ended(answer: string): void {
    const before = this.#own;
    this.#counted.end(answer, "agent");
    const turn = addFigures(this.#own, negative(before));
    const { session, day, workspace } = this.#before;
    this.#before = {
      session: addFigures(session, turn),
      day: addFigures(day, turn),
      workspace: addFigures(workspace, turn),
    };
  }

  /** The turn that has just ended goes on: it is one turn. */
  goesOn(): void {
    const one = { ...noUsage, turns: -1 };
    this.#own = addFigures(this.#own, one);
    const { session, day, workspace } = this.#before;
    this.#before = {
      session: addFigures(session, one),
      day: addFigures(day, one),
      workspace: addFigures(workspace, one),
    };
  }

  /** A budget that has nothing left; at the start of a turn (`isStart`), for which there has to be some. */
  usedUp(isStart: boolean): Budget | undefined {
    return this.#budgets.find((budget) => {
      const used = this.#used(budget);
      const limit = this.limitOf(budget);
      // The turn that runs is one of those that may: it ends by itself.
      return budget.figure === "turns" && !isStart ? used > limit : used >= limit;
    });
  }

  /** Budgets of which most is used, each once. */
  warnings(): readonly Budget[] {
    return this.#budgets.filter((budget) => {
      const key = `${this.#keyOf(budget)} ${this.limitOf(budget)}`;
      if (this.#warned.has(key) || this.#used(budget) < warnedPart * this.limitOf(budget)) return false;
      this.#warned.add(key);
      return true;
    });
  }

  warningText(budget: Budget): string {
    const used = amountText(budget, this.#used(budget));
    return `Budget: ${used} of ${numberText(budget, this.limitOf(budget))} are used ${spanText(budget)} (${budget.place})`;
  }

  /** What the user is told, each once, of budgets that the agent gives no figures for. */
  untold(): readonly string[] {
    const { inputTokens, outputTokens, turns, toolCalls } = this.#own;
    const tellsTokens = inputTokens + outputTokens > 0;
    // A turn may have been a command of the agent's own, which needs no model.
    if (!tellsTokens && turns < 2 && toolCalls === 0) return [];
    const remedy = tellsTokens ? 'limit "tokens"' : 'limit "turns", "toolCalls" or "minutes"';
    return this.#budgets.flatMap(({ figure, place }) => {
      const isTold = figure === "dollars" ? this.#counted.tellsCost : figure === "tokens" ? tellsTokens : true;
      if (isTold || this.#untold.has(figure)) return [];
      this.#untold.add(figure);
      const unpriced = figure === "dollars" ? modelNames(this.#counted.unpriced) : "";
      if (unpriced !== "") {
        return `Budget: no price is known for ${unpriced}, so the limit of dollars counts other models alone; ${remedy} (${place})`;
      }
      const what = figure === "dollars" ? "what it costs" : "its tokens";
      return `Budget: this agent does not tell ${what}, so the limit of ${figure} does not hold for it; ${remedy} (${place})`;
    });
  }

  /** What it may take by now. */
  limitOf(budget: Budget): number {
    return budget.limit + (this.granted.get(this.#keyOf(budget)) ?? 0);
  }

  usedText(budget: Budget): string {
    return amountText(budget, this.#used(budget));
  }

  /** The user lets it go on for another of the same, counted from now. */
  grant(budget: Budget): void {
    this.granted.set(this.#keyOf(budget), Math.max(this.#used(budget), this.limitOf(budget)));
  }

  /** How long until a budget of time is to be looked at; undefined without one. */
  nextTimeMs(): number | undefined {
    const rests = this.#budgets
      .filter(({ figure }) => figure === "minutes")
      .flatMap((budget) => [1, warnedPart].map((part) => part * this.limitOf(budget) - this.#used(budget)))
      .filter((minutes) => minutes > 0);
    return rests.length === 0 ? undefined : Math.min(2 ** 31 - 1, Math.max(leastWaitMs, Math.min(...rests) * 60_000));
  }

  #used(budget: Budget): number {
    return amountOf(budget, addFigures(this.#before[budget.scope], this.#counted.running()));
  }

  #keyOf({ scope, figure, place }: Budget): string {
    const of = { session: this.id, day: dayOf(this.#now()), workspace: this.cwd }[scope];
    return JSON.stringify([scope, of, figure, place]);
  }
}

/** As agents write them, who may write anything. */
function modelNames(models: readonly string[]): string {
  const shown = models.slice(0, 3).map((name) => (/^[\w.:/@[\]-]{1,60}$/.test(name) ? `"${name}"` : "a model"));
  return shown.join(", ");
}

function negative(figures: UsageFigures): UsageFigures {
  return Object.fromEntries(Object.entries(figures).map(([name, count]) => [name, -count])) as unknown as UsageFigures;
}

function greatest(one: UsageFigures, other: UsageFigures): UsageFigures {
  const entries = Object.keys(noUsage).map((name) => {
    const figure = name as keyof UsageFigures;
    return [figure, Math.max(one[figure], other[figure])] as const;
  });
  return { ...noUsage, ...(Object.fromEntries(entries) as Readonly<Record<string, number>>) };
}
