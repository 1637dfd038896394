import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

/** Whether `text` is the absolute path of a file or folder of this machine, which is no credential under any name. */
export function isExistingPath(text: string): boolean {
  return isAbsolute(text) && existsSync(text);
}
