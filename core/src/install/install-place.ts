import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { configFolder, isSingleExecutable } from "../node/own-program.js";
import { resolveCommand, systemLookup } from "../node/resolve-command.js";
import type { EntryKind } from "../registry/registry-entry.js";
import type { Command } from "../base/command.js";

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

/** The agents or extensions that are installed and can start, by id. Costs one look at a folder where none is. */
export async function allInstalled(kind: EntryKind): Promise<readonly Installed[]> {
  const names = await readdir(installRoot(kind)).catch(() => []);
  if (names.length === 0) return [];
  const { findInstalled } = await import("./installed.js");
  const found = await Promise.all(names.sort().map((id) => findInstalled(kind, id).catch(() => undefined)));
  return found.filter((installed) => installed !== undefined);
}
