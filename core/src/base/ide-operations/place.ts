import { count, object, optional, type Read, text } from "./reader.js";

/** Zero-based line and UTF-16 code unit, as in LSP. Characters beyond the end of a line refer to its end. */
export const position = object({ line: count, character: count });
export type Position = Read<typeof position>;

/** Range of text. The end position is exclusive. */
export const range = object({ start: position, end: position });
export type Range = Read<typeof range>;

/** Place with a `file:` URI. URIs with other schemes, such as those of library sources in an archive, pass through unmodified. */
export const location = object({ uri: text, range });
export type Location = Read<typeof location>;

/** `extent` is the range of the whole definition, if known. */
export const target = object({ uri: text, range, extent: optional(range) });
export type Target = Read<typeof target>;

export function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** Whether `at` is inside `range` or at its end. */
export function contains({ start, end }: Range, at: Position): boolean {
  return comparePositions(start, at) <= 0 && comparePositions(at, end) <= 0;
}

/** Compares two locations for the order of lists in answers: by URI, then by start position. */
export function compareLocations(a: Location, b: Location): number {
  if (a.uri !== b.uri) return a.uri < b.uri ? -1 : 1;
  return comparePositions(a.range.start, b.range.start);
}
