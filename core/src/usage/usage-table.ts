import { sumUsage, type UsageFigure, usageFigures, type UsageRow } from "./usage-row.js";

const headings: Readonly<Record<UsageFigure, string>> = {
  toolRuns: "runs by our tools",
  shellRuns: "runs in the shell",
};

/** A line for each day and agent, and one for each agent's sum where it has several; `shown` makes names fit a terminal. */
export function usageTable(rows: readonly UsageRow[], shown: (name: string) => string): string {
  const days = sumUsage(rows, ({ day, agent }) => JSON.stringify([day, agent]));
  const sums = sumUsage(rows, ({ agent }) => agent).filter(
    ({ agent }) => days.filter((one) => one.agent === agent).length > 1,
  );
  const cells = [
    ["day", "agent", ...usageFigures.map((figure) => headings[figure])],
    ...days.map((row) => [row.day, shown(row.agent), ...figuresOf(row)]),
    ...sums.map((row) => ["all", shown(row.agent), ...figuresOf(row)]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const padded = (line: readonly string[]): string =>
    line
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return cells.map(padded).join("\n");
}

function figuresOf(row: UsageRow): readonly string[] {
  return usageFigures.map((figure) => String(row[figure]));
}
