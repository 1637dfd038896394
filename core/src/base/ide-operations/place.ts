import { count, object, optional, type Reader, text } from "./reader.js";

/** As in LSP: lines and UTF-16 code units from 0. What points behind the end of a line means its end. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** The end does not belong to it. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Location {
  /** A `file:` URI; other schemes (a library's sources in an archive) are passed on as they are. */
  readonly uri: string;
  readonly range: Range;
}

/** Where something is defined: `range` is its name. */
export interface Target extends Location {
  /** The whole of it, where that is known. */
  readonly extent?: Range;
}

export const position: Reader<Position> = object<Position>({ line: count, character: count });
export const range: Reader<Range> = object<Range>({ start: position, end: position });
export const location: Reader<Location> = object<Location>({ uri: text, range });
export const target: Reader<Target> = object<Target>({ uri: text, range, extent: optional(range) });

/** Order in a document. */
export function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** Whether `position` is inside, or at the end of, `range`. */
export function contains({ start, end }: Range, at: Position): boolean {
  return comparePositions(start, at) <= 0 && comparePositions(at, end) <= 0;
}

/** By URI, then by where they start: the order of lists in answers. */
export function compareLocations(a: Location, b: Location): number {
  if (a.uri !== b.uri) return a.uri < b.uri ? -1 : 1;
  return comparePositions(a.range.start, b.range.start);
}
