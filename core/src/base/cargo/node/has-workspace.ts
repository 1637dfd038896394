import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { foldersUp } from "../../node/folders.js";
import { mayHaveManifests } from "../../node/project-folders.js";

const mostFolders = 60;

/**
 * Whether there is anything of cargo's in `folder`, around it, or up to two folders below it, as in `backend/api/Cargo.toml`.
 * Synchronous, since servers are declared while a session is being opened, and bounded.
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
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(mayHaveManifests)
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}
