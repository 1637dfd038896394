import { chmod, rename } from "node:fs/promises";
import { messageOf, SymposiumError, type SymposiumErrorCode } from "../symposium-error.js";
import { parsedValue } from "../rpc/json.js";
import { atomicWrite, keptAsideName, readIfThere } from "./atomic-write.js";
import { FileLock } from "./file-lock.js";

/** Reads a JSON array; empty for a missing or empty file. Rejects if the file can't be read. */
export async function readList(file: string): Promise<readonly unknown[] | "damaged"> {
  const text = (await readIfThere(file)) ?? "";
  const value = parsedValue(text);
  return Array.isArray(value) ? value : text.trim() === "" ? [] : "damaged";
}

/**
 * Edits a JSON array under a lock. `edit` returns the same array to change nothing. Moves a damaged file aside and resolves with its new
 * name.
 */
export async function changeList(
  file: string,
  edit: (entries: readonly unknown[]) => readonly unknown[],
): Promise<string | undefined> {
  await using _lock = await FileLock.take(file);
  const known = await readList(file);
  const aside = known === "damaged" ? await keepAside(file) : undefined;
  const before = known === "damaged" ? [] : known;
  const after = edit(before);
  if (after !== before) await atomicWrite(file, `${JSON.stringify(after)}\n`);
  return aside;
}

/** Renames a damaged file for manual recovery, and returns the new name. */
export async function keepAside(file: string): Promise<string> {
  const kept = keptAsideName(file);
  await rename(file, kept);
  return kept;
}

/**
 * Edits a user-only file under a lock. `edit` reads the file and returns the new text, or undefined to change nothing. Rejects with `code`
 * if the file can't be written.
 */
export async function changePrivateFile(
  file: string,
  code: SymposiumErrorCode,
  edit: () => Promise<string | undefined>,
): Promise<void> {
  await using _lock = await FileLock.take(file);
  const text = await edit();
  if (text === undefined) return;
  try {
    await atomicWrite(file, text);
    if (process.platform !== "win32") await chmod(file, 0o600);
  } catch (error) {
    throw new SymposiumError(
      code,
      `${file} cannot be written: ${messageOf(error)}.`,
      "Check the permissions of its folder, or set SYMPOSIUM_CONFIG_DIR to another folder.",
      { cause: error },
    );
  }
}
