import { count, list, object, optional, type Reader, text } from "./reader.js";
import { type Location, type Range, range } from "./place.js";

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

/** Declaration of a symbol. `range` covers its whole extent in the document `uri`. */
export interface SymbolItem extends Location {
  readonly name: string;
  readonly kind: string;
  readonly detail?: string;
  readonly container?: string;
  readonly selectionRange: Range;
}

/** Declaration in a document's outline; parents precede children. */
export interface OutlineItem extends SymbolItem {
  /** Nesting depth; 0 at the top level. */
  readonly depth: number;
}

export interface CallItem {
  readonly symbol: SymbolItem;
  /** Ranges of the calls. For incoming calls, they are in the document of `symbol`; for outgoing calls, in the requested document. */
  readonly ranges: readonly Range[];
}

const symbolFields = {
  uri: text,
  range,
  name: text,
  kind: text,
  detail: optional(text),
  container: optional(text),
  selectionRange: range,
};

export const symbolItem: Reader<SymbolItem> = object<SymbolItem>(symbolFields);
export const outlineItem: Reader<OutlineItem> = object<OutlineItem>({ ...symbolFields, depth: count });
export const callItem: Reader<CallItem> = object<CallItem>({ symbol: symbolItem, ranges: list(range) });
