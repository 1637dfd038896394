import type { IdeOperations } from "../../base/ide-operations/ide-operations.js";
import { pathOfFileUri, normalFileUri } from "../../base/file-uri.js";
import type { Position, Range } from "../../base/ide-operations/place.js";
import type { IdeOperationsServices } from "./services.js";

/** File contents as in the editor, for one tool call. Reads each file once. */
export class Documents {
  readonly #texts = new Map<string, Promise<string | undefined>>();
  #unsaved: Promise<ReadonlySet<string>> | undefined;

  constructor(
    private readonly ide: IdeOperations,
    private readonly services: IdeOperationsServices,
    private readonly signal: AbortSignal,
  ) {}

  /** Returns undefined if the file is missing or binary. */
  text(uri: string): Promise<string | undefined> {
    const key = normalFileUri(uri);
    const known = this.#texts.get(key) ?? this.#read(key, uri);
    this.#texts.set(key, known);
    return known;
  }

  /** Returns an empty list if the file is missing. */
  async lines(uri: string): Promise<readonly string[]> {
    const text = await this.text(uri);
    return text === undefined ? [] : linesOf(text);
  }

  /** Returns a trimmed source line. */
  async sourceLine(uri: string, line: number): Promise<string> {
    return (await this.lines(uri))[line]?.trim() ?? "";
  }

  async #read(key: string, uri: string): Promise<string | undefined> {
    const path = pathOfFileUri(key);
    if (path !== undefined && !(await this.#unsavedFiles()).has(key)) return this.services.readText(path);
    if (!this.ide.supported.has("readDocument")) return undefined;
    return (await this.ide.run("readDocument", { uri }, this.signal)).text ?? undefined;
  }

  #unsavedFiles(): Promise<ReadonlySet<string>> {
    this.#unsaved ??= this.#askForUnsaved();
    return this.#unsaved;
  }

  async #askForUnsaved(): Promise<ReadonlySet<string>> {
    if (!this.ide.supported.has("openFiles")) return new Set();
    const { files } = await this.ide.run("openFiles", {}, this.signal);
    return new Set(files.filter(({ isUnsaved }) => isUnsaved).map(({ uri }) => normalFileUri(uri)));
  }
}

/** Splits a text at the line breaks of LSP. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}

const wordPart = /[\p{ID_Continue}$]/u;

/** Returns the identifier at a position or ending there; undefined if there is none. */
export function wordAt(line: string, character: number): { readonly word: string; readonly start: number } | undefined {
  let start = Math.min(character, line.length);
  while (start > 0 && wordPart.test(line.charAt(start - 1))) start--;
  let end = start;
  while (end < line.length && wordPart.test(line.charAt(end))) end++;
  return end > start ? { word: line.slice(start, end), start } : undefined;
}

/** Returns the next index of a whole word, starting at `from`, or -1. */
export function indexOfWord(line: string, word: string, from = 0): number {
  for (let index = line.indexOf(word, from); index !== -1; index = line.indexOf(word, index + 1)) {
    const before = line.charAt(index - 1);
    const after = line.charAt(index + word.length);
    if (!wordPart.test(before) && !wordPart.test(after)) return index;
  }
  return -1;
}

/** Returns all indexes of a whole word in a line. */
export function indexesOfWord(line: string, word: string): readonly number[] {
  const found: number[] = [];
  for (let at = indexOfWord(line, word); at !== -1; at = indexOfWord(line, word, at + word.length)) found.push(at);
  return found;
}

/** Whether the place at `at` with this `length` overlaps `range`. */
export function meets(range: Range, at: Position, length: number): boolean {
  const { start, end } = range;
  const isAfterStart = at.line > start.line || (at.line === start.line && at.character + length > start.character);
  const isBeforeEnd = at.line < end.line || (at.line === end.line && at.character < Math.max(end.character, 1));
  return isAfterStart && isBeforeEnd;
}
