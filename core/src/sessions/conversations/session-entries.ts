import type { SessionEntry } from "./session-lines.js";

/** Maximum characters per write. */
const longestBatch = 1024 * 1024;

/** Returns the number of `entries` to write at once: at most one turn, since the list of the turn's files must follow the turn's end. */
export function batchEnd(entries: readonly SessionEntry[]): number {
  let length = 0;
  for (const [index, entry] of entries.entries()) {
    length += lengthOf([entry]);
    if (entry.kind === "end" || length >= longestBatch) return index + 1;
  }
  return entries.length;
}

/** Returns the total length of the entries in characters. */
export function lengthOf(entries: readonly SessionEntry[]): number {
  let length = 0;
  for (const entry of entries) {
    if ("params" in entry) length += entry.params.length;
    if ("blocks" in entry) length += entry.blocks.length;
    if ("answer" in entry) length += entry.answer.length;
  }
  return length;
}
