import { attempt } from "../../base/attempt.js";
import { readUntrustedBytes } from "../../base/node/read-untrusted-file.js";
import { FolderFiles, OwnFiles } from "./node/folder-files.js";
import type { IdeOperationsServices, WordHit, WordQuery, WordSearch } from "./services.js";

const largestFile = 8 * 1024 * 1024;

/** Whether an agent may read a file. Checked since agents and language servers can name any file, and links can lead anywhere. */
type IsReadable = (path: string) => boolean;

/** Machine access for IDE operations. By default, all files are readable. */
export function ideOperationsServices(isReadable: IsReadable = () => true): IdeOperationsServices {
  const own = new OwnFiles();
  const files = new FolderFiles();
  return {
    readText: (path) => Promise.resolve(readText(path, isReadable)),
    ownFiles: (folder, paths, signal) => own.among(folder, paths, signal),
    searchWord: (query, signal) => searchWord(query, signal, isReadable, files),
  };
}

/** Synchronous, since reading a source file takes less time than five asynchronous steps. */
function readText(path: string, isReadable: IsReadable): string | undefined {
  const text = readRegular(path, largestFile, isReadable)?.toString("utf8");
  return text?.includes("\0") === true ? undefined : text;
}

/** Returns undefined if the path isn't a file, is too large or may not be read. */
function readRegular(path: string, maxBytes: number, isAllowed: IsReadable): Buffer | undefined {
  return attempt(() => readUntrustedBytes(path, { maxBytes, links: "follow", isAllowed }));
}

const largestSearched = 2 * 1024 * 1024;
/** Milliseconds of reading before other tasks get their turn. */
const sliceMs = 4;
const timeLimitMs = 5_000;

/**
 * Finds a word in a folder's files. Rejects if `signal` is aborted. Reads synchronously as {@link readText} does, since a project has
 * thousands of small files.
 */
export async function searchWord(
  query: WordQuery,
  signal: AbortSignal,
  isReadable: IsReadable = () => true,
  files = new FolderFiles(),
): Promise<WordSearch> {
  const { paths, isWhole } = await files.list(query.folder, query.extensions, signal);
  const deadline = Date.now() + timeLimitMs;
  const wanted = Buffer.from(query.word);
  const hits: WordHit[] = [];
  let sliceEnd = performance.now() + sliceMs;
  for (const path of paths) {
    if (performance.now() > sliceEnd) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      if (Date.now() > deadline) return { hits, isWhole: false };
      sliceEnd = performance.now() + sliceMs;
    }
    hits.push(...hitsInFile(path, query.word, wanted, isReadable));
    if (hits.length >= query.limit) return { hits: hits.slice(0, query.limit), isWhole: false };
  }
  return { hits, isWhole };
}

function hitsInFile(path: string, word: string, wanted: Buffer, isReadable: IsReadable): readonly WordHit[] {
  const bytes = readRegular(path, largestSearched, isReadable);
  // Most files don't contain the word, so search the bytes before decoding.
  if (bytes?.includes(wanted) !== true || bytes.includes(0)) return [];
  return hitsInText(bytes.toString("utf8"), word).map((place) => ({ path, ...place }));
}

const wordPart = /[\p{ID_Continue}$]/u;

function hitsInText(text: string, word: string): readonly Omit<WordHit, "path">[] {
  const hits: Omit<WordHit, "path">[] = [];
  let line = 0;
  let lineStart = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    for (let next = endOfLine(text, lineStart); next !== -1 && next <= at; next = endOfLine(text, lineStart)) {
      line++;
      lineStart = next;
    }
    const isWord = !wordPart.test(text.charAt(at - 1)) && !wordPart.test(text.charAt(at + word.length));
    if (isWord) hits.push({ line, character: at - lineStart, source: lineAt(text, lineStart) });
  }
  return hits;
}

function lineAt(text: string, start: number): string {
  const next = endOfLine(text, start);
  return text.slice(start, next === -1 ? text.length : next).replace(/[\r\n]+$/, "");
}

/** Returns the start of the next line, by LSP's line breaks; -1 on the last line. */
function endOfLine(text: string, from: number): number {
  const feed = text.indexOf("\n", from);
  const carriage = text.indexOf("\r", from);
  if (carriage === -1 || (feed !== -1 && feed < carriage)) return feed === -1 ? -1 : feed + 1;
  return carriage + (feed === carriage + 1 ? 2 : 1);
}
