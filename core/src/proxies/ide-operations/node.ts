import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
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
const filesAtOnce = 32;
const timeLimitMs = 5_000;

/** Looks for a word in the files of a folder. Rejects when `signal` is aborted. */
export async function searchWord(files: FileLists, query: WordQuery, signal: AbortSignal): Promise<WordSearch> {
  const { paths, isWhole } = await files.list(query.folder, query.extensions, signal);
  const deadline = Date.now() + timeLimitMs;
  const wanted = Buffer.from(query.word);
  const hits: WordHit[] = [];
  for (let start = 0; start < paths.length; start += filesAtOnce) {
    signal.throwIfAborted();
    if (Date.now() > deadline) return { hits, isWhole: false };
    const batch = paths.slice(start, start + filesAtOnce);
    const found = await Promise.all(batch.map((path) => hitsInFile(path, query.word, wanted)));
    hits.push(...found.flat());
    if (hits.length >= query.limit) return { hits: hits.slice(0, query.limit), isWhole: false };
  }
  return { hits, isWhole };
}

async function hitsInFile(path: string, word: string, wanted: Buffer): Promise<readonly WordHit[]> {
  const bytes = await readSmall(path);
  // Most files do not have the word: they are not decoded.
  if (bytes?.includes(wanted) !== true || bytes.includes(0)) return [];
  return hitsInText(bytes.toString("utf8"), word).map((place) => ({ path, ...place }));
}

async function readSmall(path: string): Promise<Buffer | undefined> {
  try {
    const { size } = await stat(path);
    return size <= largestSearched ? await readFile(path) : undefined;
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
