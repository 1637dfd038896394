import type { Offset } from "./program-error.js";

/** Assignments come under a name; the values of other lines are shown. */
export interface Line {
  readonly name?: string;
  readonly value: Expression;
}

export type BinarySign = "==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "+" | "-" | "and" | "or";

export type Expression = { readonly at: Offset } & (
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "record"; readonly fields: readonly (readonly [name: string, value: Expression])[] }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: "member"; readonly of: Expression; readonly name: string }
  | { readonly kind: "not" | "minus"; readonly of: Expression }
  | { readonly kind: "binary"; readonly sign: BinarySign; readonly left: Expression; readonly right: Expression }
);
