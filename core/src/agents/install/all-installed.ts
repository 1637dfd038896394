import { readdir } from "node:fs/promises";
import type { EntryKind } from "../registry/registry-entry.js";
import { type Installed, installRoot } from "./install-place.js";

/** Installed agents or extensions that can start, sorted by id. Reads a single folder if nothing is installed. */
export async function allInstalled(kind: EntryKind): Promise<readonly Installed[]> {
  const names = await readdir(installRoot(kind)).catch(() => []);
  if (names.length === 0) return [];
  // Load the module only if something may be installed.
  const { findInstalled } = await import("./installed.js");
  const found = await Promise.all(names.sort().map((id) => findInstalled(kind, id).catch(() => undefined)));
  return found.filter((installed) => installed !== undefined);
}
