import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Variables that make an Electron or single-executable program run JavaScript like Node. Node ignores them. */
export const asNodeEnvironment: Readonly<Record<string, string>> = { ELECTRON_RUN_AS_NODE: "1", BUN_BE_BUN: "1" };

/** Variable set for conductors whose client is on another machine, since SSH and container engines start programs without a login shell. */
export const remoteClientVariable = "SYMPOSIUM_REMOTE_CLIENT";

/** Bun's virtual folder inside a single executable, on POSIX and Windows. */
const insideExecutable = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

/** Whether this program is a single executable, which has no script file and can't run other scripts. */
export function isSingleExecutable(script: string | undefined = process.argv[1]): boolean {
  return script !== undefined && insideExecutable.test(script);
}

/** Folder of Symposium's files: SYMPOSIUM_CONFIG_DIR if set, otherwise `.symposium` in `homeFolder`. */
export function configFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  homeFolder = homedir(),
): string {
  const moved = env["SYMPOSIUM_CONFIG_DIR"];
  return moved === undefined || moved === "" ? join(homeFolder, ".symposium") : resolve(moved);
}
