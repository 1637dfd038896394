import { chmod, rename } from "node:fs/promises";
import { messageOf, SymposiumError, type SymposiumErrorCode } from "../symposium-error.js";
import { parsedValue } from "../rpc/json.js";
import { atomicWrite, keptAsideName, readIfThere } from "./atomic-write.js";
import { FileLock } from "./file-lock.js";

/** Returns the elements of the JSON array in a file: none for a missing or empty file. Rejects if the file cannot be opened. */
export async function readList(file: string): Promise<readonly unknown[] | "damaged"> {
  const text = (await readIfThere(file)) ?? "";
  const value = parsedValue(text);
  return Array.isArray(value) ? value : text.trim() === "" ? [] : "damaged";
}

/**
 * Replaces the JSON array in a file while no other process can. `edit` returns the same array to leave the file alone.
 * Moves a damaged file aside first, and resolves with its new name.
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

/** Moves a damaged file aside so that its content can be restored by hand; resolves with its new name. */
export async function keepAside(file: string): Promise<string> {
  const kept = keptAsideName(file);
  await rename(file, kept);
  return kept;
}

/**
 * Replaces a file that only its user may read while no other process can. `edit` reads the file and resolves with the new
 * text, or with undefined to leave the file alone. Rejects with `code` if the file cannot be written.
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
      "Check the permissions of its folder, or set SYMPOSIUM_CONFIG_DIR to another one.",
      { cause: error },
    );
  }
}
