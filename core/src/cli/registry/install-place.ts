import { homedir } from "node:os";
import { join } from "node:path";
import { configFolder } from "../../node/config-file.js";
import { resolveCommand, systemLookup } from "../../node/resolve-command.js";
import type { EntryKind } from "../../registry/registry-entry.js";

/** The folder that holds what this user has installed: an agent and an extension may have the same id. */
export function installRoot(kind: EntryKind): string {
  return join(configFolder(process.env, homedir()), kind === "agent" ? "bin" : "extensions");
}

/** The Node that installed packages are started with: this one, unless it is an editor's, which starts as the editor. */
export function packageNode(): string {
  if (process.versions["electron"] === undefined) return process.execPath;
  return resolveCommand("node", systemLookup()) ?? process.execPath;
}
