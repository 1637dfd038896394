import { readFileSync, statSync } from "node:fs";
import { FileLists, OwnFiles } from "./node/folder-files.js";
import type { IdeOperationsServices, WordHit, WordQuery, WordSearch } from "./services.js";

const largestFile = 8 * 1024 * 1024;

/** What the component for IDE operations needs of this machine. */
export function ideOperationsServices(): IdeOperationsServices {
  const files = new FileLists();
  const own = new OwnFiles();
  return {
    readText,
    ownFiles: (folder, paths, signal) => own.among(folder, paths, signal),
    searchWord: (query, signal) => searchWord(files, query, signal),
  };
}

/** In one turn: a file of code is read sooner than the five steps of reading it are handed to other threads and back. */
function readText(path: string): Promise<string | undefined> {
  try {
    const { size } = statSync(path);
    const text = size > largestFile ? "\0" : readFileSync(path, "utf8");
    return Promise.resolve(text.includes("\0") ? undefined : text);
  } catch {
    return Promise.resolve(undefined);
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
export async function searchWord(files: FileLists, query: WordQuery, signal: AbortSignal): Promise<WordSearch> {
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
    hits.push(...hitsInFile(path, query.word, wanted));
    if (hits.length >= query.limit) return { hits: hits.slice(0, query.limit), isWhole: false };
  }
  return { hits, isWhole };
}

function hitsInFile(path: string, word: string, wanted: Buffer): readonly WordHit[] {
  const bytes = readSmall(path);
  // Most files do not have the word: they are not decoded.
  if (bytes?.includes(wanted) !== true || bytes.includes(0)) return [];
  return hitsInText(bytes.toString("utf8"), word).map((place) => ({ path, ...place }));
}

function readSmall(path: string): Buffer | undefined {
  try {
    const { size } = statSync(path);
    return size <= largestSearched ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
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
