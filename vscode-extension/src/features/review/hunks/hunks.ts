import { diffArrays } from "diff";

/** Lines `[baseStart, baseEnd)` of one text that correspond to `[start, end)` of the other. Either range can be empty. */
export interface Range {
  readonly baseStart: number;
  readonly baseEnd: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Change that a user can keep or undo. `id` is a hash of its lines, so the id survives changes elsewhere, and an answer to a hunk that has
 * been modified finds nothing. If hunks are equal, `id` includes their number, so that a repeated answer doesn't affect the next hunk.
 */
export interface Hunk extends Range {
  readonly id: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Maximum number of edits for a minimal diff. With more edits, everything between the common start and end becomes one range. */
const maxEditLength = 4_000;

/** Returns the differing ranges of two line lists in order, separated by at least one equal line. */
export function differences(base: readonly string[], current: readonly string[]): Range[] {
  let prefix = 0;
  const shorter = Math.min(base.length, current.length);
  while (prefix < shorter && base[prefix] === current[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shorter - prefix && base[base.length - 1 - suffix] === current[current.length - 1 - suffix]) suffix++;
  const baseEnd = base.length - suffix;
  const end = current.length - suffix;
  if (prefix === baseEnd && prefix === end) return [];
  const whole = { baseStart: prefix, baseEnd, start: prefix, end };
  if (prefix === baseEnd || prefix === end) return [whole];
  const before = sharedLines(base, prefix, baseEnd, new Set(current.slice(prefix, end)));
  const after = sharedLines(current, prefix, end, new Set(base.slice(prefix, baseEnd)));
  const parts = diffArrays(before.lines, after.lines, { maxEditLength });
  return parts ? rangesOf(equalLines(parts, before.at, after.at), whole) : [whole];
}

/**
 * Returns the lines of `[start, end)` that also occur in the other text, with their positions. Lines that don't occur there need no
 * comparison.
 */
function sharedLines(
  text: readonly string[],
  start: number,
  end: number,
  other: ReadonlySet<string>,
): { readonly lines: string[]; readonly at: number[] } {
  const lines: string[] = [];
  const at: number[] = [];
  for (let index = start; index < end; index++) {
    const line = text[index] ?? "";
    if (!other.has(line)) continue;
    lines.push(line);
    at.push(index);
  }
  return { lines, at };
}

interface Part {
  readonly value: readonly string[];
  readonly added?: boolean;
  readonly removed?: boolean;
}

function equalLines(parts: readonly Part[], baseAt: readonly number[], at: readonly number[]): [number, number][] {
  const equal: [number, number][] = [];
  let base = 0;
  let current = 0;
  for (const { value, added, removed } of parts) {
    if (added === true) current += value.length;
    else if (removed === true) base += value.length;
    else for (const _ of value) equal.push([baseAt[base++] ?? 0, at[current++] ?? 0]);
  }
  return equal;
}

function rangesOf(equal: readonly (readonly [number, number])[], whole: Range): Range[] {
  const ranges: Range[] = [];
  let { baseStart, start } = whole;
  for (const [baseEnd, end] of [...equal, [whole.baseEnd, whole.end] as const]) {
    if (baseStart < baseEnd || start < end) ranges.push({ baseStart, baseEnd, start, end });
    baseStart = baseEnd + 1;
    start = end + 1;
  }
  return ranges;
}

export function hunksBetween(base: readonly string[], current: readonly string[]): Hunk[] {
  const seen = new Map<string, number>();
  const hunks = differences(base, current).map((range) => {
    const removed = base.slice(range.baseStart, range.baseEnd);
    const added = current.slice(range.start, range.end);
    const content = hashOf(`${removed.length}\n${removed.join("")}\0${added.join("")}`);
    const count = (seen.get(content) ?? 0) + 1;
    seen.set(content, count);
    return { ...range, content, count, removed, added };
  });
  return hunks.map(({ content, count, ...hunk }) => {
    const all = seen.get(content) ?? 1;
    return { ...hunk, id: all === 1 ? content : `${content}-${count}-${all}` };
  });
}

/** Parses a hunk id: the content shared by equal changes, and the change's number `count` out of `all`. */
export function partsOfId(id: string): { readonly content: string; readonly count: number; readonly all: number } {
  const [content = "", count = 1, all = 1] = id.split("-");
  return { content, count: Number(count), all: Number(all) };
}

/** Non-cryptographic 53-bit hash (cyrb53's mixing), sufficient to distinguish one file's hunks. */
function hashOf(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}

/**
 * Splits a text into lines that include their line endings. A last line without an ending is a separate line, so a missing final newline
 * is a difference.
 */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}
