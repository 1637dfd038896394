import { asObject } from "../../base/rpc/json.js";

/** Counted figures. Rows from older versions have 0 for newer figures. */
export const usageFigures = [
  "turns",
  "toolCalls",
  "seconds",
  "toolRuns",
  "shellRuns",
  "inputTokens",
  "outputTokens",
  "cachedTokens",
  "microDollars",
] as const;

/**
 * `turns` is the number of prompts, `toolCalls` of tool calls; `seconds` is the duration of the turns. `toolRuns` counts tests, checks and
 * builds run with Symposium's tools, `shellRuns` those run in a shell. Tokens and money are as agents report them, or else 0;
 * `cachedTokens` are cache reads and writes, which some agents include in the input; `microDollars` are millionths of a US dollar.
 */
export type UsageFigure = (typeof usageFigures)[number];
export type UsageFigures = Readonly<Record<UsageFigure, number>>;

export interface UsageRow extends UsageFigures {
  /** Day in the user's time zone, such as 2026-01-31. */
  readonly day: string;
  readonly agent: string;
  /** Absolute path of the sessions' folder. */
  readonly folder: string;
}

export const noUsage: UsageFigures = {
  turns: 0,
  toolCalls: 0,
  seconds: 0,
  toolRuns: 0,
  shellRuns: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  microDollars: 0,
};

/** Adds figures; missing ones in `other` are 0. */
export function addFigures(one: UsageFigures, other: Partial<UsageFigures>): UsageFigures {
  const sums = usageFigures.map((figure) => [figure, one[figure] + (other[figure] ?? 0)] as const);
  return { ...noUsage, ...(Object.fromEntries(sums) as Readonly<Record<string, number>>) };
}

/** Returns the day in the user's time zone of `at`, milliseconds since 1970. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Sums rows with equal keys, in order of first occurrence. */
export function sumUsage(rows: readonly UsageRow[], keyOf: (row: UsageRow) => string): readonly UsageRow[] {
  const sums = new Map<string, UsageRow>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key);
    // Figures that this version doesn't know are copied instead of added.
    sums.set(key, sum ? { ...sum, ...row, ...addFigures(sum, row) } : row);
  }
  return [...sums.values()];
}

/** Parses a row; undefined if invalid. Preserves unknown members. */
export function parseUsageRow(value: unknown): UsageRow | undefined {
  const row = asObject(value);
  const { day, agent, folder } = row ?? {};
  if (typeof day !== "string" || typeof agent !== "string" || typeof folder !== "string") return undefined;
  const figures = usageFigures.map((figure) => {
    const count = row?.[figure];
    return [figure, typeof count === "number" && Number.isFinite(count) ? count : 0] as const;
  });
  const known: Readonly<Record<string, number>> = Object.fromEntries(figures);
  return { ...row, ...noUsage, ...known, day, agent, folder };
}

/** Returns the key of a row. Rows with equal keys are summed. */
export function usageKey({ day, agent, folder }: Pick<UsageRow, "day" | "agent" | "folder">): string {
  return JSON.stringify([day, agent, folder]);
}
