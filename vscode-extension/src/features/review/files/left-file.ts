import { readFile, rename } from "node:fs/promises";
import { keptAsideName, unlessCode } from "@symposium-dev/core/node";

/**
 * What a window left in a file, as `parse` understands it; undefined where there is no file. One that cannot be understood,
 * as of a later version, is kept aside, and `onKeptAside` hears of it. Rejects where the file cannot be read, or moved, at
 * the moment: then nothing may be written in its place.
 */
export async function readLeft<T>(
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
  onKeptAside(new Error(`${file} could not be understood, and is in ${kept} now.`));
  return undefined;
}

function understood<T>(json: string, parse: (json: string) => T | undefined): T | undefined {
  try {
    return parse(json);
  } catch {
    return undefined;
  }
}
