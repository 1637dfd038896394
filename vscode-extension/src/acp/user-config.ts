import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@symposium-dev/core";
import { configFolder } from "@symposium-dev/core/node";

/** Returns the maximum bytes of one message. Longer messages are refused without ending the connection. */
export function messageLimit(folder = configFolder()): number {
  return userSettings(folder).maxMessageBytes;
}

/** Returns whether the host runs sessions. `choice` is `symposium.host`; if empty, config.jsonc decides. */
export function isHosted(choice: "" | "off" | "on", folder = configFolder()): boolean {
  return (choice === "" ? userSettings(folder).host : choice) === "on";
}

/** Returns the settings of the user's config.jsonc, or their defaults if the file is absent or unreadable. */
function userSettings(folder: string): ReturnType<typeof parseConfig>["config"]["settings"] {
  const file = join(folder, "config.jsonc");
  return parseConfig(textOf(file), [], {}, file).config.settings;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The `symposium-acp-agent` command reports an unreadable config.jsonc, so the extension uses defaults.
    return "{}";
  }
}
