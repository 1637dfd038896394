import type { Row } from "./rows.js";

/** A first guess of a row's height in pixels; the list corrects it when the row is shown. */
export function estimateHeight(row: Row): number {
  switch (row.kind) {
    case "user":
      return 48 + Math.min(12, row.text.length / 50) * 18;
    case "text":
      return 24 + (row.text.length / 55) * 20;
    case "tool":
      return 30 + (row.content.some(({ type }) => type === "diff" || type === "terminal") ? 200 : 0);
    case "plan":
      return 32 + row.entries.length * 22;
    case "notice":
      return 72;
    case "permission":
    case "elicitation":
    case "authentication":
      return 160;
    case "content":
      return 120;
    default:
      return 28;
  }
}
