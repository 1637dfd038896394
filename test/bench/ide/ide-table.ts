import { type Row } from "../row.js";
import { withUnit } from "../table.js";
import { type IdeFigures, questions } from "./ide-figures.js";

interface Line {
  readonly measure: string;
  readonly unit: Row["unit"];
  readonly value: (figures: IdeFigures) => number | undefined;
}

const lines: readonly Line[] = [
  { measure: "first right definition", unit: "ms", value: ({ first }) => first },
  ...questions.map((one): Line => ({ measure: `${one}, p50`, unit: "ms", value: ({ warm }) => warm[one] })),
  { measure: "answer to references", unit: "bytes", value: ({ referenceBytes }) => referenceBytes },
  { measure: "list of tools", unit: "bytes", value: ({ toolListBytes }) => toolListBytes || undefined },
  { measure: "memory besides the server's", unit: "MiB", value: ({ memory }) => memory },
  { measure: "processes left", unit: "processes", value: ({ left }) => left },
];

/** One column for each lane; a peer's value with how many times ours it is, where that says something. */
export function formatIdeTable(project: string, all: readonly IdeFigures[]): string {
  const ours = all.find(({ name }) => name === "ours");
  const shown = all.filter(({ name }) => name !== "ours at");
  const rows = lines.map(({ measure, unit, value }) => {
    const base = ours && value(ours);
    const cells = shown.map((figures) => {
      const own = value(figures);
      const isPeer = figures.name !== "ours" && figures.name !== "alone";
      const ratio =
        isPeer && own !== undefined && base !== undefined && base > 0 ? ` (${(own / base).toFixed(1)}x)` : "";
      return `${withUnit(own, unit)}${ratio}`;
    });
    return [measure, ...cells];
  });
  const header = [`${project}, each peer with its ratio to ours`, ...shown.map(({ name }) => name)];
  const asLine = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [asLine(header), asLine(header.map(() => "---")), ...rows.map(asLine)].join("\n");
}
