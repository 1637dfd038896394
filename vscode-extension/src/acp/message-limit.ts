import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@symposium-dev/core";
import { configFolder } from "@symposium-dev/core/node";

/**
 * Returns the maximum bytes of one message: `maxMessageBytes` of the user's config.jsonc, or its default if the file is absent or
 * unreadable. Longer messages are refused without ending the connection.
 */
export function messageLimit(folder = configFolder()): number {
  const file = join(folder, "config.jsonc");
  return parseConfig(textOf(file), [], {}, file).config.settings.maxMessageBytes;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The command reports an unreadable file.
    return "{}";
  }
}
