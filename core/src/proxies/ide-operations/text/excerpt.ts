import type { Range } from "../../../ide-operations/place.js";
import type { IdeCall } from "../ide-call.js";
import { bounded } from "./bounded.js";

const maxLineLength = 200;

/** The source of a range from the begin of its first line on, without common indentation; at most `maxLines` lines. */
export async function excerpt(call: IdeCall, uri: string, { start, end }: Range, maxLines: number): Promise<string[]> {
  const lines = (await call.documents.lines(uri)).slice(start.line, end.line + 1);
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  const shown = lines.slice(0, maxLines).map((line) => bounded(line.slice(indent).trimEnd(), maxLineLength));
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `… ${left} more lines, to line ${end.line + 1}`] : shown;
}
