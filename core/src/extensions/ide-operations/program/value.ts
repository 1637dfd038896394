import type { Diagnostic } from "../../../base/ide-operations/diagnostic.js";
import type { Position, Range } from "../../../base/ide-operations/place.js";
import type { IdeCall } from "../ide-call.js";

/** What a program computes with. */
export type Value = string | number | boolean | null | Item | Fields | readonly Value[];

/** What `{…}` and `group` make. */
export class Fields {
  constructor(readonly entries: ReadonlyMap<string, Value>) {}
}

export interface ItemParts {
  readonly uri: string;
  readonly position: Position;
  readonly name?: string;
  readonly kind?: string;
  readonly container?: string;
  /** The whole extent. */
  readonly range?: Range;
  /** The name of the symbol that was asked about. */
  readonly of?: string;
  readonly diagnostic?: Diagnostic;
}

/** A place in the workspace: a symbol, a use of one, a diagnostic. */
export class Item {
  constructor(readonly parts: ItemParts) {}
}

/** The fields of an item, in the order in which messages list them. */
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

/** Null where the item has no such thing; undefined where no item has. */
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

/** How messages name the type of a value. */
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

/** Lists alone are iterated; `readonly` arrays are not narrowed by `Array.isArray`. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The key of a value: equal ones have the same key. */
export function keyOf(value: Value): string {
  if (value instanceof Item) {
    const { uri, position } = value.parts;
    return `${uri}:${position.line}:${position.character}`;
  }
  if (value instanceof Fields) return `{${[...value.entries].map(([name, one]) => `${name}:${keyOf(one)}`).join()}}`;
  return isList(value) ? `[${value.map(keyOf).join()}]` : JSON.stringify(value);
}

/** Whether `text` contains `pattern`, or, where the pattern has a `*`, is all of it: `*` stands for any text. */
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
