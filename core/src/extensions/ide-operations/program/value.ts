import type { Diagnostic } from "../../../base/ide-operations/diagnostic.js";
import type { Position, Range } from "../../../base/ide-operations/place.js";
import type { IdeCall } from "../ide-call.js";

/** A value of the program language. */
export type Value = string | number | boolean | null | Item | Fields | readonly Value[];

/** A record from `{…}` or `group`. */
export class Fields {
  constructor(readonly entries: ReadonlyMap<string, Value>) {}
}

export interface ItemParts {
  readonly uri: string;
  readonly position: Position;
  readonly name?: string;
  readonly kind?: string;
  readonly container?: string;
  /** Full range of the declaration. */
  readonly range?: Range;
  /** Name of the queried symbol. */
  readonly of?: string;
  readonly diagnostic?: Diagnostic;
}

/** A place in the workspace: a symbol, a use of a symbol or a diagnostic. */
export class Item {
  constructor(readonly parts: ItemParts) {}
}

/** Fields of an item in the order of error messages. */
export const itemFields = [
  "name",
  "kind",
  "file",
  "line",
  "column",
  "lines",
  "container",
  "text",
  "of",
  "severity",
  "message",
  "code",
] as const;

type ItemField = (typeof itemFields)[number];

/** Returns null if this item lacks the field, undefined if no item has such a field. */
export async function itemField(call: IdeCall, { parts }: Item, name: string): Promise<Value | undefined> {
  if (!itemFields.some((field) => field === name)) return undefined;
  return (await fieldOf(call, parts, name as ItemField)) ?? null;
}

function fieldOf(call: IdeCall, parts: ItemParts, name: ItemField): Value | undefined | Promise<Value> {
  const { uri, position, range, diagnostic } = parts;
  switch (name) {
    case "file":
      return call.paths.shown(uri);
    case "line":
      return position.line + 1;
    case "column":
      return position.character + 1;
    case "lines":
      return range && range.end.line - range.start.line + 1;
    case "text":
      return call.documents.sourceLine(uri, position.line);
    case "severity":
      return diagnostic?.severity;
    case "message":
      return diagnostic?.message;
    case "code":
      return diagnostic?.code;
    case "name":
    case "kind":
    case "container":
    case "of":
      return parts[name];
  }
}

/** Returns the type name for error messages. */
export function typeOf(value: Value): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Item) return "a place";
  if (value instanceof Fields) return "a record";
  switch (typeof value) {
    case "string":
      return "a text";
    case "number":
      return "a number";
    default:
      return "true or false";
  }
}

/** Type guard, since `Array.isArray` doesn't narrow `readonly` arrays. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Returns a key that is equal for equal values. */
export function keyOf(value: Value): string {
  if (value instanceof Item) {
    const { uri, position } = value.parts;
    return `${uri}:${position.line}:${position.character}`;
  }
  if (value instanceof Fields) return `{${[...value.entries].map(([name, one]) => `${name}:${keyOf(one)}`).join()}}`;
  return isList(value) ? `[${value.map(keyOf).join()}]` : JSON.stringify(value);
}

/** Whether `text` contains `pattern`. A pattern with `*`, which matches any text, must match all of `text`. */
export function looksLike(text: string, pattern: string): boolean {
  if (!pattern.includes("*")) return text.includes(pattern);
  const parts = pattern.split(/\*+/);
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
