/**
 * What an item is. `block` holds items without being one: a macro call with items in braces, an `if` in `cfg_if!`.
 * `call` is a macro call without arguments.
 */
export type RustItemKind =
  | "fn"
  | "struct"
  | "enum"
  | "union"
  | "trait"
  | "mod"
  | "use"
  | "const"
  | "static"
  | "type"
  | "impl"
  | "macro"
  | "extern crate"
  | "block"
  | "call"
  | "variant"
  | "field";

/** An item by its place in a file. Offsets are characters. */
export interface RustItem {
  readonly kind: RustItemKind;
  /** Empty for `use`, `impl` and blocks. */
  readonly name: string;
  /** Where its documentation and attributes may begin: the end of what stands before it. */
  readonly lead: number;
  /** Where its visibility or keyword stands. */
  readonly head: number;
  /** The inside of its braces, where it has them. */
  readonly body: { readonly start: number; readonly end: number } | undefined;
  readonly end: number;
  /** It says `pub`, without limits such as `(crate)`. */
  readonly isPublic: boolean;
}

/** A file of Rust source. */
export interface RustFile {
  /** Relative to the crate's folder. */
  readonly path: string;
  readonly text: string;
  readonly masked: string;
}

/** The line, counted from 1, that an offset is in. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line++;
  return line;
}
