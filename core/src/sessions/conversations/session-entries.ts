import type { SessionEntry } from "./session-lines.js";

/** Characters after which what is written at once ends. */
const longestBatch = 1024 * 1024;

/** How many of `entries` are written at once: those of one turn at most, whose end needs its files. */
export function batchEnd(entries: readonly SessionEntry[]): number {
  let length = 0;
  for (const [index, entry] of entries.entries()) {
    length += lengthOf([entry]);
    if (entry.kind === "end" || length >= longestBatch) return index + 1;
  }
  return entries.length;
}

/** In characters. */
export function lengthOf(entries: readonly SessionEntry[]): number {
  let length = 0;
  for (const entry of entries) {
    if ("params" in entry) length += entry.params.length;
    if ("blocks" in entry) length += entry.blocks.length;
    if ("answer" in entry) length += entry.answer.length;
  }
  return length;
}
