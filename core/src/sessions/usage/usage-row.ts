import { asObject } from "../../base/rpc/json.js";

/** What is counted. A new figure is a word more here: rows of older versions have 0 of it. */
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
 * `turns` are prompts, `toolCalls` all calls of tools in them, `seconds` how long they took; `toolRuns`: tests, checks and builds through our tools; `shellRuns`: through a shell. Tokens and money are as agents count
 * them, 0 where they do not; `cachedTokens` are those read from a cache or written there, which some count as input, too;
 * `microDollars` are millionths of a US dollar.
 */
export type UsageFigure = (typeof usageFigures)[number];
export type UsageFigures = Readonly<Record<UsageFigure, number>>;

/** What an agent came to on a day in a folder, in numbers alone. */
export interface UsageRow extends UsageFigures {
  /** Of the user's own time zone, such as 2026-01-31. */
  readonly day: string;
  readonly agent: string;
  /** Where its sessions were opened, absolute. */
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

/** Member by member; what `other` does not have is 0 there. */
export function addFigures(one: UsageFigures, other: Partial<UsageFigures>): UsageFigures {
  const sums = usageFigures.map((figure) => [figure, one[figure] + (other[figure] ?? 0)] as const);
  return { ...noUsage, ...(Object.fromEntries(sums) as Readonly<Record<string, number>>) };
}

/** The day of the user that `at` is in, in milliseconds since 1970. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The sum of rows of one key, in the order in which the keys come. */
export function sumUsage(rows: readonly UsageRow[], keyOf: (row: UsageRow) => string): readonly UsageRow[] {
  const sums = new Map<string, UsageRow>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key);
    // What another version counts besides is not ours to add up.
    sums.set(key, sum ? { ...sum, ...row, ...addFigures(sum, row) } : row);
  }
  return [...sums.values()];
}

/** One of a file's rows; undefined for what is none. Members that this version does not know stay in it. */
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

/** Two rows of the same key are one. */
export function usageKey({ day, agent, folder }: Pick<UsageRow, "day" | "agent" | "folder">): string {
  return JSON.stringify([day, agent, folder]);
}
