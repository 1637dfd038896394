import {
  compareLocations,
  type Location,
  type Position,
  type Range,
  type Target,
  stringOf,
  normalFileUri,
} from "@symposium-dev/core";

/** Unchecked value from the protocol. */
export type Wire = Readonly<Record<string, unknown>>;

/** Returns `value` if it is an object, otherwise an empty object. */
export function wireObject(value: unknown): Wire {
  return typeof value === "object" && value !== null ? (value as Wire) : {};
}

/** Returns `value` as a list. An object becomes a list of one, other values an empty list. */
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

/** Returns the location in a `Location` or `LocationLink`; for a declaration, its name. Undefined for other values. */
export function toLocation(value: Wire): Location | undefined {
  const uri = stringOf(value["uri"]) ?? stringOf(value["targetUri"]);
  if (uri === undefined) return undefined;
  return {
    uri: normalFileUri(uri),
    range: toRange(value["range"] ?? value["targetSelectionRange"] ?? value["targetRange"]),
  };
}

/** Like {@link toLocation}, but includes the range of the full definition if a `LocationLink` contains it. */
export function toTarget(value: Wire): Target | undefined {
  const location = toLocation(value);
  return location && value["targetRange"] !== undefined
    ? { ...location, extent: toRange(value["targetRange"]) }
    : location;
}

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
