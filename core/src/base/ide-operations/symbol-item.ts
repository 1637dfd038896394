import { count, list, object, optional, type Read, text } from "./reader.js";
import { range } from "./place.js";

/** Symbol kinds indexed as in VS Code; LSP numbers are one higher. */
export const symbolKinds = [
  "file",
  "module",
  "namespace",
  "package",
  "class",
  "method",
  "property",
  "field",
  "constructor",
  "enum",
  "interface",
  "function",
  "variable",
  "constant",
  "string",
  "number",
  "boolean",
  "array",
  "object",
  "key",
  "null",
  "enumMember",
  "struct",
  "event",
  "operator",
  "typeParameter",
] as const;

const symbolFields = {
  uri: text,
  /** The symbol's whole extent. */
  range,
  name: text,
  kind: text,
  detail: optional(text),
  container: optional(text),
  selectionRange: range,
};

/** Declaration of a symbol in the document `uri`. */
export const symbolItem = object(symbolFields);
export type SymbolItem = Read<typeof symbolItem>;

/** Declaration in a document's outline; parents precede children. `depth` is the nesting depth, 0 at the top level. */
export const outlineItem = object({ ...symbolFields, depth: count });
export type OutlineItem = Read<typeof outlineItem>;

/** Ranges of calls: for incoming calls in the document of `symbol`, for outgoing calls in the requested document. */
export const callItem = object({ symbol: symbolItem, ranges: list(range) });
export type CallItem = Read<typeof callItem>;
