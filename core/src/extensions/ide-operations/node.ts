import { readUntrustedBytes } from "../../base/node/read-untrusted-file.js";
import { FileLists, OwnFiles } from "./node/folder-files.js";
import type { IdeOperationsServices, WordHit, WordQuery, WordSearch } from "./services.js";

const largestFile = 8 * 1024 * 1024;

/** Whether a file may be read for an agent: it and its language servers name any, and links lead anywhere. */
type IsReadable = (path: string) => boolean;

/** What the component for IDE operations needs of this machine. All files may be read where nothing says otherwise. */
export function ideOperationsServices(isReadable: IsReadable = () => true): IdeOperationsServices {
  const files = new FileLists();
  const own = new OwnFiles();
  return {
    readText: (path) => Promise.resolve(readText(path, isReadable)),
    ownFiles: (folder, paths, signal) => own.among(folder, paths, signal),
    searchWord: (query, signal) => searchWord(files, query, signal, isReadable),
  };
}

/** In one turn: a file of code is read sooner than the five steps of reading it are handed to other threads and back. */
function readText(path: string, isReadable: IsReadable): string | undefined {
  const text = readRegular(path, largestFile, isReadable)?.toString("utf8");
  return text?.includes("\0") === true ? undefined : text;
}

/** Undefined for what is no file, is larger, or may not be read. */
function readRegular(path: string, maxBytes: number, isAllowed: IsReadable): Buffer | undefined {
  try {
    return readUntrustedBytes(path, { maxBytes, links: "follow", isAllowed });
  } catch {
    return undefined;
  }
}

const largestSearched = 2 * 1024 * 1024;
/** How long files are read before others get their turn. */
const sliceMs = 4;
const timeLimitMs = 5_000;

/**
 * Looks for a word in the files of a folder. Rejects when `signal` is aborted. Files are read as {@link readText} reads them:
 * a project has thousands, and each is done before another thread would have begun with it.
 */
export async function searchWord(
  files: FileLists,
  query: WordQuery,
  signal: AbortSignal,
  isReadable: IsReadable = () => true,
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
  // Most files do not have the word: they are not decoded.
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

/** Where the line after the one at `from` begins, by the line breaks of LSP; -1 at the last one. */
function endOfLine(text: string, from: number): number {
  const feed = text.indexOf("\n", from);
  const carriage = text.indexOf("\r", from);
  if (carriage === -1 || (feed !== -1 && feed < carriage)) return feed === -1 ? -1 : feed + 1;
  return carriage + (feed === carriage + 1 ? 2 : 1);
}
