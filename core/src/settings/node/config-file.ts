import { readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { parseConfig, type Config, type OtherProxies } from "../config.js";
import type { LocatedProblem } from "../../base/problem.js";
import { atomicWrite } from "../../base/node/atomic-write.js";
import { FileLock } from "../../base/node/file-lock.js";

/** Result of reading the configuration. If there are no errors, `problems` contains only warnings. */
export type ConfigState =
  | { readonly state: "absent"; readonly file: string }
  | { readonly state: "broken"; readonly file: string; readonly problems: readonly LocatedProblem[] }
  | {
      readonly state: "ok";
      readonly file: string;
      readonly config: Config;
      readonly problems: readonly LocatedProblem[];
      readonly text: string;
    };

export { configFolder } from "../../base/node/own-program.js";

export function configFile(folder: string): string {
  return join(folder, "config.jsonc");
}

/** Reads the configuration with {@link parseConfig}. Never rejects; a file that can't be read is reported as broken. */
export function readConfig(
  file: string,
  builtInProxies: readonly string[],
  others: OtherProxies = {},
): Promise<ConfigState> {
  return new Promise((resolve) => resolve(readNow(file, builtInProxies, others)));
}

/** Reads synchronously, since an agent's start waits for the configuration. */
function readNow(file: string, builtInProxies: readonly string[], others: OtherProxies): ConfigState {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "absent", file };
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      return broken(file, "The file isn't UTF-8 text.", "Save it as UTF-8.");
    }
    return broken(
      file,
      `Can't read the file: ${messageOf(error)}.`,
      "Check that it is a regular file that you can read.",
    );
  }
  const { config, problems } = parseConfig(text, builtInProxies, others, file);
  if (problems.some(({ severity }) => severity === "error")) return { state: "broken", file, problems };
  return { state: "ok", file, config, problems, text };
}

/** Locks the configuration against other processes between reading and writing. */
export function lockConfig(file: string): Promise<FileLock> {
  return unlessNotWritten(file, FileLock.take(file));
}

/** Writes the configuration atomically. Rejects with `config-not-written` on failure. */
export function writeConfig(file: string, text: string): Promise<void> {
  return unlessNotWritten(file, atomicWrite(file, text));
}

async function unlessNotWritten<T>(file: string, attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof SymposiumError) throw error;
    throw new SymposiumError(
      "config-not-written",
      `Can't write the configuration ${file}: ${messageOf(error)}.`,
      "Check the folder's permissions, or set SYMPOSIUM_CONFIG_DIR to another folder.",
      { cause: error },
    );
  }
}

function broken(file: string, message: string, hint: string): ConfigState {
  return { state: "broken", file, problems: [{ severity: "error", path: [], message, hint, line: 1, column: 1 }] };
}
