import { attempt } from "../attempt.js";
import { type Dirent, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { foldersUp } from "./folders.js";
import { parsedObject } from "../rpc/json.js";
import { loadUntrustedText } from "./read-untrusted-file.js";

/** Folders that build and package tools fill, wherever they are. */
export const toolFolders: ReadonlySet<string> = new Set([
  "node_modules",
  "target",
  "dist",
  "build",
  "out",
  "vendor",
  "venv",
  ".venv",
  ".tox",
  ".next",
  ".gradle",
  "__pycache__",
]);

/** Folders without project manifests. Some of these names may be a project's own folders. */
const withoutManifests: ReadonlySet<string> = new Set([...toolFolders, "env", "site-packages", "coverage"]);

/** Maximum depth for finding projects: `packages/web/package.json` of a monorepo is two levels down. */
const maxDepth = 3;
const maxFolders = 400;
/** Maximum number of direct subfolders searched by quick checks. */
const maxLookedInto = 50;

interface FolderBelow {
  readonly path: string;
  /** Files and subfolders of the folder, sorted by name. */
  readonly entries: readonly Dirent[];
}

/**
 * Lists the folder and subfolders that may contain project manifests, breadth-first and sorted by path. Skips hidden folders and tools'
 * folders; doesn't follow links. Never rejects.
 */
export async function foldersBelow(root: string): Promise<readonly FolderBelow[]> {
  const found: FolderBelow[] = [];
  let level = [root];
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth++) {
    const next: string[] = [];
    for (const path of level.slice(0, maxFolders - found.length)) {
      const entries = (await readdir(path, { withFileTypes: true }).catch(() => [])).sort((a, b) =>
        a.name < b.name ? -1 : 1,
      );
      found.push({ path, entries });
      for (const entry of entries) if (mayHaveManifests(entry)) next.push(join(path, entry.name));
    }
    level = next;
  }
  return found;
}

export function mayHaveManifests(entry: Pick<Dirent, "name" | "isDirectory">): boolean {
  return entry.isDirectory() && !entry.name.startsWith(".") && !withoutManifests.has(entry.name);
}

/** Whether the folder, or a direct subfolder that may contain manifests, has an entry with one of these names. Never throws. */
export function hasEntryNear(folder: string, names: readonly string[]): boolean {
  const entries = entriesOf(folder);
  const isWanted = ({ name }: Dirent): boolean => names.includes(name);
  if (entries.some(isWanted)) return true;
  const below = entries.filter(mayHaveManifests).slice(0, maxLookedInto);
  return below.some(({ name }) => entriesOf(join(folder, name)).some(isWanted));
}

function entriesOf(folder: string): readonly Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

export const maxManifestBytes = 1024 * 1024;

/**
 * Reads a manifest. Undefined if it is missing, unreadable, too large or not a regular file, since links can lead to endless devices and
 * pipes. Never rejects.
 */
export async function readManifestText(file: string, maxBytes = maxManifestBytes): Promise<string | undefined> {
  return loadUntrustedText(file, maxBytes).catch(() => undefined);
}

interface InstalledPackage {
  readonly folder: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * Finds a package installed by npm, pnpm, bun or yarn's node-modules linker, in the nearest `node_modules` above the folder `importer`.
 * Never rejects.
 */
export async function installedPackage(importer: string, name: string): Promise<InstalledPackage | undefined> {
  if (!/^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(name)) return undefined;
  for (const at of foldersUp(importer)) {
    const folder = join(at, "node_modules", ...name.split("/"));
    const text = await readManifestText(join(folder, "package.json"));
    if (text !== undefined) {
      const manifest = parsedObject(text);
      return manifest && { folder, manifest };
    }
  }
  return undefined;
}
