import { symbolError } from "./symbol-error.js";

/** How a call names a symbol. Lines and columns are from 1 here, as people and compilers write them. */
export type SymbolAddress =
  /** `src/shape.rs:12:8` */
  | { readonly kind: "position"; readonly path: string; readonly line: number; readonly column: number }
  /** `src/shape.rs:12#area`: the word in that line. */
  | { readonly kind: "word"; readonly path: string; readonly line: number; readonly word: string }
  /** `src/shape.rs#Circle::area` */
  | { readonly kind: "member"; readonly path: string; readonly names: readonly string[] }
  /** `Circle::area`, anywhere in the workspace. */
  | { readonly kind: "name"; readonly names: readonly string[] };

/** Reads an address. Throws `invalid-arguments` for what is none, with the forms there are. */
export function parseSymbolAddress(text: string): SymbolAddress {
  const address = text.trim();
  const [, path = "", line, column] = /^(.+?):(\d+):(\d+)$/.exec(address) ?? [];
  if (line !== undefined)
    return { kind: "position", path, line: oneOrMore(line, text), column: oneOrMore(column, text) };
  const [, file = "", number, rest = ""] = /^(.+?)(?::(\d+))?#(.+)$/.exec(address) ?? [];
  if (number !== undefined)
    return { kind: "word", path: file, line: oneOrMore(number, text), word: lastName(rest, text) };
  if (file !== "") return { kind: "member", path: file, names: namesIn(rest, text) };
  if (/:\d+$|[\\/]|^\./.test(address)) {
    throw symbolError(text, "names a place but no symbol", `Add its name, as in "${address}#name".`);
  }
  return { kind: "name", names: namesIn(address, text) };
}

function oneOrMore(digits: string | undefined, text: string): number {
  const number = Number(digits);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw symbolError(text, "has a line or column below 1", "Both are counted from 1.");
}

/** The parts of a qualified name in any language: without type arguments, call brackets and keywords of paths. */
function namesIn(qualified: string, text: string): string[] {
  const plain = withoutTypeArguments(qualified).replace(/[()!*&]/g, "");
  const names = plain
    .split(/::|[.#/]/)
    .map((name) => name.trim())
    .filter((name, index, all) => name !== "" && (index === all.length - 1 || !/^(?:crate|self|super)$/.test(name)));
  if (names.length > 0 && names.every((name) => /^[\p{ID_Continue}$@~-]+$/u.test(name))) return names;
  throw symbolError(text, "is no name of a symbol", 'Write "name", "Type::name", "file#name" or "file:line:column".');
}

function lastName(qualified: string, text: string): string {
  return namesIn(qualified, text).at(-1) ?? qualified;
}

function withoutTypeArguments(name: string): string {
  let plain = name;
  for (let before = ""; before !== plain;) {
    before = plain;
    plain = plain.replace(/<[^<>]*>/g, "");
  }
  return plain;
}
