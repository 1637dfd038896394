import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@symposium-dev/core";
import { configFolder } from "@symposium-dev/core/node";

/**
 * Maximum bytes of one message: `maxMessageBytes` of the user's config.jsonc, or its default if the file is absent or
 * unreadable. Longer messages are refused; the connection goes on.
 */
export function messageLimit(folder = configFolder()): number {
  const file = join(folder, "config.jsonc");
  return parseConfig(textOf(file), [], {}, file).config.settings.maxMessageBytes;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The command reports a file that it can't read.
    return "{}";
  }
}
