import { join } from "node:path";
import { configFolder, isSingleExecutable } from "../../base/node/own-program.js";
import { resolveCommand, systemLookup } from "../../base/node/resolve-command.js";
import type { EntryKind } from "../registry/registry-entry.js";
import type { Command } from "../../base/command.js";

export interface Installed {
  readonly id: string;
  readonly version: string;
  /** Start command with absolute paths. */
  readonly command: Command;
  readonly folder: string;
  readonly pinned?: string;
  readonly previous?: string;
}

/** Folder of the user's installed agents or extensions. Separate folders, since an agent and an extension may share an id. */
export function installRoot(kind: EntryKind): string {
  return join(configFolder(), kind === "agent" ? "bin" : "extensions");
}

/** Path of the Node that runs installed packages. Uses the current process unless it is Electron or a single executable. */
export function packageNode(): string {
  if (process.versions["electron"] === undefined && !isSingleExecutable()) return process.execPath;
  return resolveCommand("node", systemLookup()) ?? process.execPath;
}
