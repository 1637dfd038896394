import { diffArrays } from "diff";

/** Lines `[baseStart, baseEnd)` of one text stand as `[start, end)` in the other. Either side may be empty. */
export interface Range {
  readonly baseStart: number;
  readonly baseEnd: number;
  readonly start: number;
  readonly end: number;
}

/**
 * One change that a user can keep or undo. `id` is made of its lines alone, so it stays while the file changes
 * elsewhere, and an answer to a hunk that has changed meanwhile finds nothing.
 */
export interface Hunk extends Range {
  readonly id: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Beyond so many changed lines the shortest difference costs more than it tells: the whole middle is one range. */
const maxEditLength = 4_000;

/** Where two lists of lines differ, in order, with at least one equal line between two ranges. */
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
  const parts = diffArrays(base.slice(prefix, baseEnd), current.slice(prefix, end), { maxEditLength });
  return parts ? rangesOf(parts, prefix) : [whole];
}

interface Part {
  readonly value: readonly string[];
  readonly added?: boolean;
  readonly removed?: boolean;
}

function rangesOf(parts: readonly Part[], offset: number): Range[] {
  const ranges: Range[] = [];
  let base = offset;
  let current = offset;
  let open: { baseStart: number; start: number } | undefined;
  const close = (): void => {
    if (open) ranges.push({ ...open, baseEnd: base, end: current });
    open = undefined;
  };
  for (const { value, added, removed } of parts) {
    if (added !== true && removed !== true) {
      close();
      base += value.length;
      current += value.length;
      continue;
    }
    open ??= { baseStart: base, start: current };
    if (removed === true) base += value.length;
    else current += value.length;
  }
  close();
  return ranges;
}

/** The changes from `base` to `current`, each with its lines and its id. */
export function hunksBetween(base: readonly string[], current: readonly string[]): Hunk[] {
  const seen = new Map<string, number>();
  return differences(base, current).map((range) => {
    const removed = base.slice(range.baseStart, range.baseEnd);
    const added = current.slice(range.start, range.end);
    const content = hashOf(`${removed.length}\n${removed.join("")}\0${added.join("")}`);
    const count = (seen.get(content) ?? 0) + 1;
    seen.set(content, count);
    return { ...range, id: count === 1 ? content : `${content}-${count}`, removed, added };
  });
}

/** 53 bits are plenty to tell the hunks of one file apart, and need no cryptography (cyrb53's mixing). */
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
 * The lines of a text, each with its own line ending; joined they are the text again. A last line without an ending
 * is a line of its own, so a missing newline at the end is a difference like any other.
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
