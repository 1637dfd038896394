import { attempt } from "../../attempt.js";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { foldersUp } from "../../node/folders.js";
import { mayHaveManifests } from "../../node/project-folders.js";

const mostFolders = 60;

/**
 * Whether a Cargo manifest exists in `folder`, above it, or up to two folders below, such as `backend/api/Cargo.toml`. Synchronous, because
 * servers are declared while a session opens; the search is bounded.
 */
export function hasCargoWorkspace(folder: string): boolean {
  if (foldersUp(folder).some(hasManifest)) return true;
  let foldersLeft = mostFolders;
  const below = (at: string): readonly string[] => foldersIn(at).map((name) => join(at, name));
  const looked = (at: string): boolean => foldersLeft-- > 0 && hasManifest(at);
  const first = below(folder);
  return first.some(looked) || first.some((at) => foldersLeft > 0 && below(at).some(looked));
}

function hasManifest(folder: string): boolean {
  return statSync(join(folder, "Cargo.toml"), { throwIfNoEntry: false })?.isFile() ?? false;
}

function foldersIn(folder: string): readonly string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  const names = entries.filter(mayHaveManifests).map(({ name }) => name);
  return names.sort();
}
