import { readFile, writeFile } from "node:fs/promises";
import type { FileTruth, TrueFiles } from "../../../src/features/review/files/compare-and-write-contract.js";

/** Text files on disk that no editor has open. */
export class DiskTruth implements TrueFiles {
  async truth(path: string): Promise<FileTruth> {
    return { text: await readFile(path, "utf8").catch(() => null), isTorn: false };
  }

  canWrite(): Promise<boolean> {
    return Promise.resolve(true);
  }

  setAttributes(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async write(path: string, text: string | null): Promise<boolean> {
    if (text === null) return false;
    await writeFile(path, text);
    return true;
  }
}
