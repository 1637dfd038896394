import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Set, these have an editor's or a single executable's program run JavaScript as Node does; Node itself ignores them. */
export const asNodeEnvironment: Readonly<Record<string, string>> = { ELECTRON_RUN_AS_NODE: "1", BUN_BE_BUN: "1" };

/** Bun's name for the folder of what is inside an executable that it made, on POSIX and on Windows. */
const insideExecutable = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

/** Whether this program is one executable with everything in it: it has no script, and is no Node for others. */
export function isSingleExecutable(script: string | undefined = process.argv[1]): boolean {
  return script !== undefined && insideExecutable.test(script);
}

/** The folder of the product's own files: SYMPOSIUM_CONFIG_DIR if it is set, else `.symposium` in `homeFolder`. */
export function configFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  homeFolder = homedir(),
): string {
  const moved = env["SYMPOSIUM_CONFIG_DIR"];
  return moved === undefined || moved === "" ? join(homeFolder, ".symposium") : resolve(moved);
}
