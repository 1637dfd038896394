import { join } from "node:path";
import { configFolder, isSingleExecutable } from "../../base/node/own-program.js";
import { resolveCommand, systemLookup } from "../../base/node/resolve-command.js";
import type { EntryKind } from "../registry/registry-entry.js";
import type { Command } from "../../base/command.js";

/** A version that can be started. */
export interface Installed {
  readonly id: string;
  readonly version: string;
  /** With absolute paths. */
  readonly command: Command;
  /** Absolute path of the version's folder. */
  readonly folder: string;
  /** The version that updates leave alone. */
  readonly pinned?: string;
  /** What a rollback returns to. */
  readonly previous?: string;
}

/** The folder that holds what this user has installed: an agent and an extension may have the same id. */
export function installRoot(kind: EntryKind): string {
  return join(configFolder(), kind === "agent" ? "bin" : "extensions");
}

/** The Node that installed packages are started with: this one, unless our program is an editor's or one executable. */
export function packageNode(): string {
  if (process.versions["electron"] === undefined && !isSingleExecutable()) return process.execPath;
  return resolveCommand("node", systemLookup()) ?? process.execPath;
}
