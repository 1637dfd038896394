import * as l10n from "@vscode/l10n";
import { readFile, rename } from "node:fs/promises";
import { keptAsideName, unlessCode } from "@symposium-dev/core/node";

/**
 * Reads a window's stored file with `parse`; undefined if there is no file. Moves an unreadable file aside and reports it to `onKeptAside`.
 * Rejects if the file can't be read or moved right now; callers must then not overwrite the file.
 */
export async function readOrSetAside<T>(
  file: string,
  parse: (json: string) => T | undefined,
  onKeptAside: (error: Error) => void = () => undefined,
): Promise<T | undefined> {
  const json = await unlessCode(readFile(file, "utf8"), ["ENOENT"]);
  if (json === undefined) return undefined;
  const left = understood(json, parse);
  if (left !== undefined) return left;
  const kept = keptAsideName(file);
  await rename(file, kept);
  onKeptAside(new Error(l10n.t("{0} couldn't be read and was moved to {1}.", file, kept)));
  return undefined;
}

function understood<T>(json: string, parse: (json: string) => T | undefined): T | undefined {
  try {
    return parse(json);
  } catch {
    return undefined;
  }
}
