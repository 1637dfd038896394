import { SymposiumError } from "../../../base/symposium-error.js";
import type { Location } from "../../../base/ide-operations/place.js";
import type { IdeCall } from "../ide-call.js";

/** How a call names a symbol. Lines and columns are from 1 here, as people and compilers write them. */
type SymbolAddress =
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

/**
 * Reads `file:12`, `file:12-20` and `file:12:5-20:9` (from 1, columns up to the last one excluded) as a range; undefined
 * for what has another form. Throws `invalid-arguments` for a file or lines that are not there.
 */
export async function readRange(call: IdeCall, text: string): Promise<Location | undefined> {
  const match = /^(.+?):(\d+)(?::(\d+)(?=-))?(?:-(\d+)(?::(\d+))?)?$/.exec(text.trim());
  const [, path = "", first, column, last, endColumn] = match ?? [];
  // A single position is a symbol's.
  if (first === undefined || /:\d+:\d+$/.test(path + (last === undefined ? text : ""))) return undefined;
  const uri = call.paths.uriOf(path);
  const lines = await call.documents.lines(uri);
  if (lines.length === 0) throw symbolError(text, "names no file that can be read", pathHint);
  const start = Number(first) - 1;
  const end = Number(last ?? first) - 1;
  if (start < 0 || end < start || end >= lines.length) {
    throw symbolError(text, `names lines that are not there: the file has ${lines.length}`, "Look at the file again.");
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

/** For an address that leads to no symbol, or to several: `problem` continues the sentence that the address begins. */
export function symbolError(address: string, problem: string, hint: string): SymposiumError {
  return new SymposiumError("invalid-arguments", `symbol: "${address}" ${problem}.`, hint);
}
