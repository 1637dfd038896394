import { count, list, object, optional, type Reader, text } from "./reader.js";
import { type Location, type Range, range } from "./place.js";

/** The symbol kinds of LSP by their number minus 1, which is their number in VS Code. */
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

/** A declaration: `uri` and `range` are its whole extent. */
export interface SymbolItem extends Location {
  /** Without its container, such as `area`. */
  readonly name: string;
  /** One of {@link symbolKinds}; others are passed on. */
  readonly kind: string;
  /** What the language server adds, such as a signature. */
  readonly detail?: string;
  /** The name of what it belongs to, such as `impl Shape`. */
  readonly container?: string;
  /** Its name alone: where questions about it point. */
  readonly selectionRange: Range;
}

/** A declaration in the outline of a document: parents before their children. */
export interface OutlineItem extends SymbolItem {
  /** 0 at the top. */
  readonly depth: number;
}

/** A caller or a callee, and where the calls are. */
export interface CallItem {
  readonly symbol: SymbolItem;
  /** In the caller's document: that of `symbol` for incoming calls, that of the question for outgoing ones. */
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
