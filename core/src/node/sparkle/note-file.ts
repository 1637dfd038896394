import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { messageOf } from "../../base/symposium-error.js";
import { memoryFault } from "../../proxies/sparkle/memory-fault.js";
import { systemCode } from "../system-code.js";

const largestFile = 4 * 1024 * 1024;

/** The text of a file; undefined when there is none. Rejects with what is wrong when it is no text file of at most 4 MiB. */
export async function readNote(path: string): Promise<string | undefined> {
  try {
    // A pipe in place of a file must not keep us waiting for somebody to write into it.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error("it is not a file");
    if (stats.size > largestFile) throw new Error(`it has ${stats.size} bytes, and at most ${largestFile} are read`);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.readFile());
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw memoryFault(`${path} cannot be read: ${messageOf(error)}.`, "Ask the user to look at the file.", error);
  }
}

/** Names of the files in a folder, sorted; none when there is no such folder. */
export async function listNotes(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(systemCode(error));
}
