import { readdirSync } from "node:fs";
import type { EntryKind } from "../registry/registry-entry.js";
import { type Installed, installRoot } from "./install-place.js";

/** Installed agents or extensions that can start, sorted by id. Reads a single folder if nothing is installed. */
export async function allInstalled(kind: EntryKind): Promise<readonly Installed[]> {
  const names = namesIn(installRoot(kind));
  if (names.length === 0) return [];
  // Load the module only if something may be installed.
  const { findInstalled } = await import("./installed.js");
  const found = await Promise.all(names.sort().map((id) => findInstalled(kind, id).catch(() => undefined)));
  return found.filter((installed) => installed !== undefined);
}

/** Synchronous, since an agent's start waits for the list. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
