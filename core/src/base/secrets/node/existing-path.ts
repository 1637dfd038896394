import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

export function isExistingPath(text: string): boolean {
  return isAbsolute(text) && existsSync(text);
}
