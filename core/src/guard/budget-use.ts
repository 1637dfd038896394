import type { SessionLog } from "../sessions/conversations/session-log.js";
import { type CountedSession, UsageCounter } from "../sessions/usage/usage-counter.js";
import { addFigures, dayOf, noUsage, type UsageFigures } from "../sessions/usage/usage-row.js";
import { amountOf, amountText, type Budget, type BudgetScope, numberText, spanText } from "./budget.js";

/** An exhausted budget, with the user's extensions. */
export interface UsedUpBudget extends Budget {
  /** The usage in words, such as `3 tool calls`. */
  readonly used: string;
}

export interface SessionParts {
  readonly now: () => number;
  /** Called when a budget ends a turn. Present if nobody can be asked to extend the budget. */
  readonly onUsedUp?: (budget: UsedUpBudget) => void;
}

interface Opened {
  readonly id: string;
  readonly cwd: string;
  readonly hasHistory: boolean;
}

type Counted = Pick<Totals, "day" | "workspace">;
type Totals = Readonly<Record<BudgetScope, UsageFigures>>;

/** Fraction of a budget at which the user is warned. */
const warnedPart = 0.8;
const leastWaitMs = 100;

/** How much of its budgets a session has used, counted in the same way as in `usage`. */
export class BudgetUse {
  readonly id: string;
  readonly cwd: string;
  /** Counts the session's usage; must receive all events of the session. */
  readonly count: Pick<SessionLog, "prompt" | "update" | "child" | "permission"> &
    Pick<CountedSession, "running" | "asked">;
  readonly onUsedUp: SessionParts["onUsedUp"];
  readonly #counted: CountedSession;
  readonly #now: () => number;
  readonly #warned = new Set<string>();
  #budgets: readonly Budget[] = [];
  /** Usage of the session's finished turns. */
  #own = noUsage;
  /** Totals recorded by all processes at the start of the turn. The usage file may or may not include this session's last turns. */
  #before: Totals = { session: noUsage, day: noUsage, workspace: noUsage };
  /** Usage at the session's first turn of the day. */
  #first: { readonly day: string; readonly counted: Counted; readonly own: UsageFigures } | undefined;
  readonly #untold = new Set<string>();

  /** Starts counting with no usage. `granted` contains the extensions by budget, shared by all sessions of a chain. */
  constructor(
    opened: Opened,
    parts: SessionParts,
    private readonly granted: Map<string, number>,
  ) {
    [this.id, this.cwd, this.#now] = [opened.id, opened.cwd, parts.now];
    this.onUsedUp = parts.onUsedUp;
    const add = (row: UsageFigures): void => {
      this.#own = addFigures(this.#own, row);
    };
    const sessions = new UsageCounter({ add, limit: () => undefined }, parts.now);
    this.#counted = sessions.open({ ...opened, agent: "agent" });
    this.count = this.#counted;
  }

  /** Starts a turn with these budgets; `counted` is the usage recorded in the usage file. */
  begin(budgets: readonly Budget[], counted: Counted): void {
    this.#budgets = budgets;
    const day = dayOf(this.#now());
    // Start a new count on each day.
    if (this.#first?.day !== day) this.#first = { day, counted, own: this.#own };
    const first = this.#first;
    const since = addFigures(this.#own, negative(first.own));
    // The usage file lacks turns that have just ended, and turns that aren't recorded.
    const most = (scope: "day" | "workspace"): UsageFigures =>
      greatest(counted[scope], addFigures(first.counted[scope], since));
    this.#before = { session: this.#own, day: most("day"), workspace: most("workspace") };
  }

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

  /** Counts a stopped turn and its continuation as one turn. */
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

  /** Returns an exhausted budget, if any. At the start of a turn (`isStart`), some of every budget must be left. */
  usedUp(isStart: boolean): Budget | undefined {
    return this.#budgets.find((budget) => {
      const used = this.#used(budget);
      const limit = this.limitOf(budget);
      // A running turn and a call that has just started are already counted, so only the next one exceeds the limit.
      const isCountedAtStart = budget.figure === "turns" || budget.figure === "toolCalls";
      return isCountedAtStart && !isStart ? used > limit : used >= limit;
    });
  }

  /** Returns budgets that have reached the warning level. Each is returned only once. */
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
    return `Budget: ${used} of ${numberText(budget, this.limitOf(budget))} used ${spanText(budget)} (${budget.place})`;
  }

  /**
   * Returns notices about budgets that can't be enforced because the agent doesn't report the figures. Each notice is returned only once.
   */
  untold(): readonly string[] {
    const { inputTokens, outputTokens, turns, toolCalls } = this.#own;
    const tellsTokens = inputTokens + outputTokens > 0;
    // Wait for a second turn, since a single turn may be a slash command of the agent that uses no model.
    if (!tellsTokens && turns < 2 && toolCalls === 0) return [];
    const remedy = tellsTokens ? 'limit "tokens"' : 'limit "turns", "toolCalls" or "minutes"';
    return this.#budgets.flatMap(({ figure, place }) => {
      const isTold = figure === "dollars" ? this.#counted.tellsCost : figure === "tokens" ? tellsTokens : true;
      if (isTold || this.#untold.has(figure)) return [];
      this.#untold.add(figure);
      const unpriced = figure === "dollars" ? modelNames(this.#counted.unpriced) : "";
      if (unpriced !== "") {
        return `Budget: no price is known for ${unpriced}, so the dollar limit counts only other models; ${remedy} instead (${place})`;
      }
      const what = figure === "dollars" ? "what it costs" : "its tokens";
      return `Budget: this agent doesn't report ${what}, so the limit of ${figure} doesn't apply to it; ${remedy} instead (${place})`;
    });
  }

  /** Returns the current limit, including extensions. */
  limitOf(budget: Budget): number {
    return budget.limit + (this.granted.get(this.#keyOf(budget)) ?? 0);
  }

  usedText(budget: Budget): string {
    return amountText(budget, this.#used(budget));
  }

  /** Extends the budget by its original amount, counted from the current usage. */
  grant(budget: Budget): void {
    this.granted.set(this.#keyOf(budget), Math.max(this.#used(budget), this.limitOf(budget)));
  }

  /** Returns the milliseconds until a time budget must be checked; undefined if there is no time budget. */
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

/** Returns the model names for display. Hides names with unusual characters, since agents can send any text. */
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
