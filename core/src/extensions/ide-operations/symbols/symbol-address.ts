import { SymposiumError } from "../../../base/symposium-error.js";
import type { Location } from "../../../base/ide-operations/place.js";
import type { IdeCall } from "../ide-call.js";

/** Parsed address of a symbol. Lines and columns start at 1, as in compilers' output. */
type SymbolAddress =
  /** `src/shape.rs:12:8` */
  | { readonly kind: "position"; readonly path: string; readonly line: number; readonly column: number }
  /** `src/shape.rs:12#area`: the word in that line. */
  | { readonly kind: "word"; readonly path: string; readonly line: number; readonly word: string }
  /** `src/shape.rs#Circle::area` */
  | { readonly kind: "member"; readonly path: string; readonly names: readonly string[] }
  /** `Circle::area`, anywhere in the workspace. */
  | { readonly kind: "name"; readonly names: readonly string[] };

/** Parses an address. Throws `invalid-arguments` with the valid forms if it has none of them. */
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
  throw symbolError(text, "has a line or column below 1", "Lines and columns start at 1.");
}

/** Returns the parts of a qualified name in any language, without type arguments, call brackets and path keywords. */
function namesIn(qualified: string, text: string): string[] {
  const plain = withoutTypeArguments(qualified).replace(/[()!*&]/g, "");
  const names = plain
    .split(/::|[.#/]/)
    .map((name) => name.trim())
    .filter((name, index, all) => name !== "" && (index === all.length - 1 || !/^(?:crate|self|super)$/.test(name)));
  if (names.length > 0 && names.every((name) => /^[\p{ID_Continue}$@~-]+$/u.test(name))) return names;
  throw symbolError(text, "isn't a symbol name", 'Write "name", "Type::name", "file#name" or "file:line:column".');
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

/**
 * Parses `file:12`, `file:12-20` and `file:12:5-20:9` as a range; undefined for other forms. Lines and columns start at 1, and the last
 * column is excluded. Throws `invalid-arguments` if the file or the lines don't exist.
 */
export async function readRange(call: IdeCall, text: string): Promise<Location | undefined> {
  const match = /^(.+?):(\d+)(?::(\d+)(?=-))?(?:-(\d+)(?::(\d+))?)?$/.exec(text.trim());
  const [, path = "", first, column, last, endColumn] = match ?? [];
  // A single position is the address of a symbol.
  if (first === undefined || /:\d+:\d+$/.test(path + (last === undefined ? text : ""))) return undefined;
  const uri = call.paths.uriOf(path);
  const lines = await call.documents.lines(uri);
  if (lines.length === 0) throw symbolError(text, "doesn't name a readable file", pathHint);
  const start = Number(first) - 1;
  const end = Number(last ?? first) - 1;
  if (start < 0 || end < start || end >= lines.length) {
    throw symbolError(text, `names lines that do not exist: the file has ${lines.length}`, "Read the file again.");
  }
  return {
    uri,
    range: {
      start: { line: start, character: column === undefined ? indentOf(lines[start] ?? "") : Number(column) - 1 },
      end: { line: end, character: endColumn === undefined ? (lines[end] ?? "").length : Number(endColumn) - 1 },
    },
  };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

export const pathHint = "Paths start from the workspace's folder.";

/** Creates the error for an address with no symbol or several. `problem` continues a sentence that starts with the address. */
export function symbolError(address: string, problem: string, hint: string): SymposiumError {
  return new SymposiumError("invalid-arguments", `symbol: "${address}" ${problem}.`, hint);
}
