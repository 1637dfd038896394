import { isMet, ratioToDirect, type Row } from "./row.js";

const header = ["measure", "direct", "ours", "ratio", "target", "met?", "Rust conductor", "ours vs Rust"];
const absent = "-";

/** The rows as a Markdown table, its columns aligned. */
export function formatTable(rows: readonly Row[]): string {
  const cells = [header, ...rows.map(cellsOf)];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => pad(cell, widths[column] ?? 0, column === 0)).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => `${"-".repeat(width + 1)}${column === 0 ? "-" : ":"}`).join("|")}|`;
  return [line(header), rule, ...cells.slice(1).map(line)].join("\n");
}

function cellsOf(row: Row): string[] {
  const met = isMet(row);
  const ratio = ratioToDirect(row);
  return [
    row.measure,
    withUnit(row.direct, row.unit),
    `${row.isAdded === true && row.ours !== undefined && row.ours >= 0 ? "+" : ""}${withUnit(row.ours, row.unit)}`,
    ratio === undefined ? absent : `${ratio.toFixed(2)}x`,
    targetOf(row),
    met === undefined ? absent : met ? "yes" : "NO",
    withUnit(row.rust, row.unit),
    againstRust(row),
  ];
}

function targetOf({ target, unit }: Row): string {
  if (target === undefined) return absent;
  if ("atLeastRatio" in target) return `>= ${target.atLeastRatio.toFixed(2)}x`;
  return "atLeast" in target ? `>= ${withUnit(target.atLeast, unit)}` : `<= ${withUnit(target.atMost, unit)}`;
}

/** How many times as much, and whether that is to our favour; differences around nothing have no ratio. */
function againstRust({ ours, rust, unit }: Row): string {
  if (ours === undefined || rust === undefined || ours <= 0 || rust <= 0) return absent;
  const ratio = ours / rust;
  const isBetter = unit === "updates/s" || unit === "MiB/s" ? ratio >= 1 : ratio <= 1;
  return `${ratio.toFixed(2)}x ${isBetter ? "(better)" : "(worse)"}`;
}

/** A value as the tables show it; `-` for none. */
export function withUnit(value: number | undefined, unit: Row["unit"]): string {
  if (value === undefined) return absent;
  if (unit === "updates/s") return `${Math.round(value).toLocaleString("en")}/s`;
  if (unit === "MiB/s") return `${value.toFixed(0)} MiB/s`;
  if (unit === "ms") return `${value.toFixed(Math.abs(value) < 10 ? 3 : 1)} ms`;
  if (unit === "µs") return `${value.toFixed(2)} µs`;
  if (unit === "KB") return `${value.toFixed(1)} KB`;
  if (unit === "bytes" || unit === "processes" || unit === "spans")
    return `${Math.round(value).toLocaleString("en")} ${unit}`;
  return unit === "MiB" ? `${value.toFixed(1)} MiB` : `${value.toFixed(2)} MiB/1,000`;
}

function pad(text: string, width: number, isLeft: boolean): string {
  return isLeft ? text.padEnd(width) : text.padStart(width);
}
