import type { UsageFigures } from "../sessions/usage/usage-row.js";

/** Scopes of a budget: one session, all sessions of a day, or all sessions in a folder. */
export const budgetScopes = ["session", "day", "workspace"] as const;
export type BudgetScope = (typeof budgetScopes)[number];

export const budgetFigures = ["turns", "toolCalls", "minutes", "tokens", "dollars"] as const;
type BudgetFigure = (typeof budgetFigures)[number];

export interface Budget {
  readonly scope: BudgetScope;
  readonly figure: BudgetFigure;
  readonly limit: number;
  /** Location of the budget as `FILE:LINE`, for display. */
  readonly place: string;
}

const names: Readonly<Record<BudgetFigure, string>> = {
  turns: "turns",
  toolCalls: "tool calls",
  minutes: "minutes",
  tokens: "tokens",
  dollars: "US dollars",
};
const spans: Readonly<Record<BudgetScope, string>> = {
  session: "this session",
  day: "today",
  workspace: "this folder",
};

/** Returns the usage that counts toward a budget. Excludes cached tokens and the context in use. */
export function amountOf({ figure }: Pick<Budget, "figure">, figures: UsageFigures): number {
  switch (figure) {
    case "turns":
    case "toolCalls":
      return figures[figure];
    case "minutes":
      return figures.seconds / 60;
    case "tokens":
      return figures.inputTokens + figures.outputTokens;
    case "dollars":
      return figures.microDollars / 1e6;
  }
}

/** Formats an amount with its unit, for example `200 tool calls`. */
export function amountText(budget: Pick<Budget, "figure">, amount: number): string {
  const name = amount === 1 ? names[budget.figure].replace(/s$/, "") : names[budget.figure];
  return `${numberText(budget, amount)} ${name}`;
}

/** Formats an amount without its unit, for example `200`. Dollar amounts below 1 have two significant digits. */
export function numberText({ figure }: Pick<Budget, "figure">, amount: number): string {
  if (figure === "dollars" && amount < 1) return String(Number(amount.toPrecision(2)));
  return String(Number(amount.toFixed(figure === "dollars" ? 2 : figure === "minutes" ? 1 : 0)));
}

/** Returns a budget's scope as a phrase, for example `in this session`. */
export function spanText({ scope }: Pick<Budget, "scope">): string {
  return scope === "day" ? spans.day : `in ${spans[scope]}`;
}
