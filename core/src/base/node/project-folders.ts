import { type Dirent, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { foldersUp } from "./folders.js";
import { parsedObject } from "../rpc/json.js";
import { loadUntrustedText } from "./read-untrusted-file.js";

/** Names of folders that build and package tools fill, wherever they stand. */
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

/** Of these names, some are a project's own; manifests in them are not. */
const withoutManifests: ReadonlySet<string> = new Set([...toolFolders, "env", "site-packages", "coverage"]);

/** How far below a workspace projects are looked for: `packages/web/package.json` of a monorepo is two levels down. */
const maxDepth = 3;
const maxFolders = 400;
/** How many folders directly below one are looked into where nothing may take long. */
const maxLookedInto = 50;

interface FolderBelow {
  /** Absolute. */
  readonly path: string;
  /** In the order of name. */
  readonly entries: readonly Dirent[];
}

/**
 * The folder and those below it that may have manifests of a project's own, level by level, each level in the order of
 * path: neither hidden ones nor those that tools fill. Links are not followed. Never rejects.
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

/** Whether an entry of a folder is a folder that may have manifests of a project's own. */
export function mayHaveManifests(entry: Pick<Dirent, "name" | "isDirectory">): boolean {
  return entry.isDirectory() && !entry.name.startsWith(".") && !withoutManifests.has(entry.name);
}

/** Whether the folder, or one directly below it that may have manifests, has an entry of one of these names. Never throws. */
export function hasEntryNear(folder: string, names: readonly string[]): boolean {
  const entries = entriesOf(folder);
  const isWanted = ({ name }: Dirent): boolean => names.includes(name);
  if (entries.some(isWanted)) return true;
  const below = entries.filter(mayHaveManifests).slice(0, maxLookedInto);
  return below.some(({ name }) => entriesOf(join(folder, name)).some(isWanted));
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The most bytes that a manifest may have. */
export const maxManifestBytes = 1024 * 1024;

/**
 * The text of a manifest; undefined where there is none, where it cannot be read, where it is too large, and where it is no
 * file: devices and pipes, to which links can lead, have no end. Never rejects.
 */
export async function readManifestText(file: string, maxBytes = maxManifestBytes): Promise<string | undefined> {
  return loadUntrustedText(file, maxBytes).catch(() => undefined);
}

/** A package of npm that is there. */
interface InstalledPackage {
  /** Absolute. */
  readonly folder: string;
  /** What its package.json says. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * What npm, pnpm, yarn's node-modules and bun have installed for an importer, which is a folder: the package of the nearest
 * folder `node_modules` that has it. Never rejects.
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
