import type { Location } from "../../../ide-operations/place.js";
import type { IdeCall } from "../ide-call.js";
import { pathHint, symbolError } from "./symbol-error.js";

/**
 * Reads `file:12`, `file:12-20` and `file:12:5-20:9` (from 1, columns up to the last one excluded) as a range; undefined
 * for what has another form. Throws `invalid-arguments` for a file or lines that are not there.
 */
export async function readRange(call: IdeCall, text: string): Promise<Location | undefined> {
  const match = /^(.+?):(\d+)(?::(\d+)(?=-))?(?:-(\d+)(?::(\d+))?)?$/.exec(text.trim());
  const [, path = "", first, column, last, endColumn] = match ?? [];
  // A single position is a symbol's.
  if (first === undefined || /:\d+:\d+$/.test(path + (last === undefined ? text : ""))) return undefined;
  const uri = call.paths.uriOf(path);
  const lines = await call.documents.lines(uri);
  if (lines.length === 0) throw symbolError(text, "names no file that can be read", pathHint);
  const start = Number(first) - 1;
  const end = Number(last ?? first) - 1;
  if (start < 0 || end < start || end >= lines.length) {
    throw symbolError(text, `names lines that are not there: the file has ${lines.length}`, "Look at the file again.");
  }
  return {
    uri,
    range: {
      start: { line: start, character: column === undefined ? indentOf(lines[start] ?? "") : Number(column) - 1 },
      end: { line: end, character: endColumn === undefined ? (lines[end] ?? "").length : Number(endColumn) - 1 },
    },
  };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
