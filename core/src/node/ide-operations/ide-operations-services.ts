import { readFile, stat } from "node:fs/promises";
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

async function readText(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > largestFile) return undefined;
    const text = await readFile(path, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
