import { homedir } from "node:os";
import { join } from "node:path";
import { configFolder } from "../../node/config-file.js";
import { resolveCommand, systemLookup } from "../../node/resolve-command.js";

/** The folder that holds what this user has installed. */
export function installRoot(): string {
  return join(configFolder(process.env, homedir()), "bin");
}

/** The Node that installed packages are started with: this one, unless it is an editor's, which starts as the editor. */
export function packageNode(): string {
  if (process.versions["electron"] === undefined) return process.execPath;
  return resolveCommand("node", systemLookup()) ?? process.execPath;
}
