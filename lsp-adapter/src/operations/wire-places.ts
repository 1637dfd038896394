import {
  compareLocations,
  type Location,
  type Position,
  type Range,
  type Target,
  stringOf,
  normalFileUri,
} from "@symposium-dev/core";

/** A value of the protocol before anybody has looked at it. */
export type Wire = Readonly<Record<string, unknown>>;

/** `value` as an object; an empty one where it is none. */
export function wireObject(value: unknown): Wire {
  return typeof value === "object" && value !== null ? (value as Wire) : {};
}

/** `value` as a list; a single object is a list of one, anything else an empty one. */
export function wireList(value: unknown): readonly Wire[] {
  if (Array.isArray(value)) return value.map(wireObject);
  return typeof value === "object" && value !== null ? [wireObject(value)] : [];
}

const origin: Position = { line: 0, character: 0 };

function toPosition(value: unknown): Position {
  const { line, character } = wireObject(value);
  return isCount(line) && isCount(character) ? { line, character } : origin;
}

export function toRange(value: unknown): Range {
  const { start, end } = wireObject(value);
  return { start: toPosition(start), end: toPosition(end) };
}

/** The place that a `Location` or a `LocationLink` names: for a declaration, its name. Undefined for anything else. */
export function toLocation(value: Wire): Location | undefined {
  const uri = stringOf(value["uri"]) ?? stringOf(value["targetUri"]);
  if (uri === undefined) return undefined;
  return {
    uri: normalFileUri(uri),
    range: toRange(value["range"] ?? value["targetSelectionRange"] ?? value["targetRange"]),
  };
}

/** The same with the whole of what is defined, where a `LocationLink` has it. */
export function toTarget(value: Wire): Target | undefined {
  const location = toLocation(value);
  return location && value["targetRange"] !== undefined
    ? { ...location, extent: toRange(value["targetRange"]) }
    : location;
}

/** Sorted, each place once. */
export function sortedLocations<T extends Location>(locations: readonly T[]): readonly T[] {
  const sorted = [...locations].sort(compareLocations);
  return sorted.filter((one, index) => {
    const before = sorted[index - 1];
    return !before || before.uri !== one.uri || !isSameRange(before.range, one.range);
  });
}

export function isSameRange(a: Range, b: Range): boolean {
  return isSamePosition(a.start, b.start) && isSamePosition(a.end, b.end);
}

function isSamePosition(a: Position, b: Position): boolean {
  return a.line === b.line && a.character === b.character;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
