import type { SessionEntry } from "./session-lines.js";

/** Maximum characters per write. */
const longestBatch = 1024 * 1024;

/** Returns the number of `entries` to write at once: at most one turn, since the list of the turn's files must follow the turn's end. */
export function batchEnd(entries: readonly SessionEntry[]): number {
  let length = 0;
  let count = 0;
  for (const entry of entries) {
    length += lengthOf(entry);
    count++;
    if (entry.kind === "end" || length >= longestBatch) break;
  }
  return count;
}

/** Returns the total length of the entries in characters. */
export function totalLength(entries: readonly SessionEntry[]): number {
  let length = 0;
  for (const entry of entries) length += lengthOf(entry);
  return length;
}

/** Returns the length of an entry in characters. */
export function lengthOf(entry: SessionEntry): number {
  switch (entry.kind) {
    case "update":
    case "child":
      return entry.params.length;
    case "prompt":
      return entry.blocks.length;
    case "permission":
      return entry.params.length + entry.answer.length;
    case "end":
      return entry.answer.length;
    default:
      return 0;
  }
}
