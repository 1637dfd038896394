import { readFileSync, statSync } from "node:fs";
import type { IdeOperationsServices } from "../../proxies/ide-operations/services.js";
import { FileLists } from "./file-lists.js";
import { OwnFiles } from "./own-files.js";
import { searchWord } from "./word-search.js";

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
