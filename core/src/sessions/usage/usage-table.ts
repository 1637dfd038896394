import type { RateLimit } from "./agent-figures.js";
import { dayOf, sumUsage, type UsageFigure, usageFigures, type UsageRow } from "./usage-row.js";

export interface AgentLimit extends RateLimit {
  readonly agent: string;
}

const headings: Readonly<Record<UsageFigure, string>> = {
  turns: "turns",
  toolCalls: "tool calls",
  seconds: "minutes",
  toolRuns: "runs by our tools",
  shellRuns: "runs in the shell",
  inputTokens: "tokens in",
  outputTokens: "tokens out",
  cachedTokens: "cached",
  microDollars: "USD",
};

/**
 * Formats a line for each day and agent, and a line with the total of each agent that has several days. `shown` shortens names for a
 * terminal.
 */
export function usageTable(rows: readonly UsageRow[], shown: (name: string) => string): string {
  const days = sumUsage(rows, ({ day, agent }) => JSON.stringify([day, agent]));
  const sums = sumUsage(rows, ({ agent }) => agent).filter(
    ({ agent }) => days.filter((one) => one.agent === agent).length > 1,
  );
  // Omit figures without values, since not every agent reports tokens and money.
  const figures = usageFigures.filter(
    (figure) => figure === "toolRuns" || figure === "shellRuns" || rows.some((row) => row[figure] > 0),
  );
  const cells = [
    ["day", "agent", ...figures.map((figure) => headings[figure])],
    ...days.map((row) => [row.day, shown(row.agent), ...figures.map((figure) => cellOf(row, figure))]),
    ...sums.map((row) => ["all", shown(row.agent), ...figures.map((figure) => cellOf(row, figure))]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const padded = (line: readonly string[]): string =>
    line
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return cells.map(padded).join("\n");
}

function cellOf(row: UsageRow, figure: UsageFigure): string {
  if (figure === "seconds") return String(Math.round(row.seconds / 60));
  return figure === "microDollars" ? (row.microDollars / 1e6).toFixed(4) : String(row[figure]);
}

/** Formats a line for each limit that hasn't reset. `now` is in milliseconds since 1970. */
export function limitLines(limits: readonly AgentLimit[], shown: (name: string) => string, now: number): string {
  return limits
    .filter(({ resetsAt }) => resetsAt === undefined || resetsAt > now)
    .map(({ agent, name, status, used, resetsAt }) => {
      const part = used === undefined ? "" : `, ${Math.round(used * 100)} % used`;
      const until = resetsAt === undefined ? "" : `, resets ${dayOf(resetsAt)} ${clock(resetsAt)}`;
      return `${shown(agent)}: limit ${shown(name)} is ${shown(status)}${part}${until}`;
    })
    .join("\n");
}

function clock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}
