import { readdir } from "node:fs/promises";
import type { EntryKind } from "../registry/registry-entry.js";
import { type Installed, installRoot } from "./install-place.js";

/** The agents or extensions that are installed and can start, by id. Costs one look at a folder where none is. */
export async function allInstalled(kind: EntryKind): Promise<readonly Installed[]> {
  const names = await readdir(installRoot(kind)).catch(() => []);
  if (names.length === 0) return [];
  // Loaded only if there is something to read.
  const { findInstalled } = await import("./installed.js");
  const found = await Promise.all(names.sort().map((id) => findInstalled(kind, id).catch(() => undefined)));
  return found.filter((installed) => installed !== undefined);
}
