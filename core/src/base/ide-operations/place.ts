import { count, object, optional, type Reader, text } from "./reader.js";

/** Zero-based line and UTF-16 code unit, as in LSP. Characters beyond the end of a line refer to its end. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** Range of text. The end position is exclusive. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Location {
  /** `file:` URI. URIs with other schemes, such as those of library sources in an archive, pass through unmodified. */
  readonly uri: string;
  readonly range: Range;
}

export interface Target extends Location {
  /** Range of the whole definition, if known. */
  readonly extent?: Range;
}

export const position: Reader<Position> = object<Position>({ line: count, character: count });
export const range: Reader<Range> = object<Range>({ start: position, end: position });
export const location: Reader<Location> = object<Location>({ uri: text, range });
export const target: Reader<Target> = object<Target>({ uri: text, range, extent: optional(range) });

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
