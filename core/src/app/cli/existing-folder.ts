import { statSync } from "node:fs";
import { resolve } from "node:path";
import { invalidArguments } from "../../base/symposium-error.js";

/** Resolves a folder named by an option. Throws `invalid-arguments` if the folder doesn't exist. */
export function existingFolder(text: string, option: string): string {
  const folder = resolve(text);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw invalidArguments(`${option} names a folder that doesn't exist: ${text}.`, "Give an existing folder.");
}
