import { stringOf } from "../../../base/rpc/json.js";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { foldersUp, isInside, isThere } from "../../../base/node/folders.js";
import {
  foldersBelow,
  installedPackage,
  maxManifestBytes,
  readManifestText,
} from "../../../base/node/project-folders.js";
import { isManifest, type Manifest, type NamedPackage, packageKey, readManifest } from "../manifests.js";
import type { UsedPackage } from "../used-packages.js";
import { installedDistributions, pyprojectOf } from "./python-distributions.js";

export interface SpeakingManifest {
  readonly kind: "npm" | "python";
  readonly name: string;
  readonly version: string | undefined;
  readonly manifestPath: string;
  readonly symposium: unknown;
}

interface WorkspaceManifests {
  readonly used: readonly UsedPackage[];
  readonly speaking: readonly SpeakingManifest[];
  readonly warnings: readonly string[];
}

/**
 * Reads the npm, Python, Go, Maven and Gradle manifests in and around `folder`. Starts nothing, and doesn't follow links out of the
 * workspace. Never rejects.
 */
export async function workspaceManifests(folder: string, env: NodeJS.ProcessEnv): Promise<WorkspaceManifests> {
  const { found, warnings } = await readManifests(folder);
  const uses = await Promise.all(found.map(({ file, manifest }) => usesOf(folder, file, manifest)));
  const used = uses.flatMap((one) => one.used);
  const pythonNames = new Set(used.flatMap(({ kind, name }) => (kind === "python" ? [name] : [])));
  const folders = used.flatMap(({ kind, manifest }) => (kind === "python" ? [dirname(resolve(folder, manifest))] : []));
  const speaking = [
    ...uses.flatMap((one) => one.speaking),
    ...found.flatMap((one) => ownPackage(one, pythonNames)),
    ...(await speakingDistributions([folder, ...folders], pythonNames, env)),
  ];
  return {
    used,
    speaking: [...new Map(speaking.map((one) => [one.manifestPath, one])).values()].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
    warnings,
  };
}

export async function usedPackages(folder: string): Promise<readonly UsedPackage[]> {
  const { found } = await readManifests(folder);
  return found.flatMap(({ file, manifest }) => usedBy(folder, file, manifest));
}

interface ReadManifests {
  readonly found: readonly { readonly file: string; readonly manifest: Manifest }[];
  readonly warnings: readonly string[];
}

async function readManifests(folder: string): Promise<ReadManifests> {
  const files = [...(await manifestsBelow(folder)), ...(await manifestsAbove(folder))];
  const read = await Promise.all(files.map(readOne));
  return {
    found: read.flatMap(({ file, manifest }) => (manifest ? [{ file, manifest }] : [])),
    warnings: read.flatMap(({ warning }) => warning ?? []),
  };
}

async function manifestsBelow(folder: string): Promise<string[]> {
  const folders = await foldersBelow(folder);
  return folders.flatMap(({ path, entries }) =>
    entries.filter((entry) => entry.isFile() && isManifest(entry.name)).map(({ name }) => join(path, name)),
  );
}

/** Returns the manifests in the nearest parent folder that contains any, up to the repository root. */
async function manifestsAbove(folder: string): Promise<string[]> {
  for (const at of foldersUp(folder)) {
    if (await isThere(join(at, ".git"))) return [];
    const entries = await readdir(dirname(at), { withFileTypes: true }).catch(() => []);
    const found = entries.filter((entry) => entry.isFile() && isManifest(entry.name));
    if (found.length > 0) return found.map(({ name }) => join(dirname(at), name));
  }
  return [];
}

interface ReadManifest {
  readonly file: string;
  readonly manifest?: Manifest;
  readonly warning?: string;
}

async function readOne(file: string): Promise<ReadManifest> {
  const text = await readManifestText(file);
  if (text === undefined)
    return { file, warning: `${file} cannot be read, or has more than ${maxManifestBytes} bytes.` };
  const manifest = readManifest(basename(file), text);
  if (manifest === undefined) return { file };
  return "message" in manifest ? { file, warning: `${file}: ${manifest.message}.` } : { file, manifest };
}

interface Uses {
  readonly used: readonly UsedPackage[];
  readonly speaking: readonly SpeakingManifest[];
}

function usedBy(folder: string, file: string, { kind, uses }: Manifest): readonly UsedPackage[] {
  const manifest = isInside(file, folder) ? relative(folder, file).replaceAll("\\", "/") : file;
  return uses.map((one) => ({ kind, ...one, manifest }));
}

async function usesOf(folder: string, file: string, read: Manifest): Promise<Uses> {
  const { kind, uses } = read;
  const used = usedBy(folder, file, read);
  if (kind !== "npm") return { used, speaking: [] };
  const installed = await Promise.all(uses.map((one) => speakingPackage(dirname(file), one)));
  return {
    used: used.map((one, index) => ({ ...one, version: installed[index]?.version ?? one.version })),
    speaking: installed.flatMap((one) => (one?.symposium === undefined ? [] : [one])),
  };
}

async function speakingPackage(importer: string, { name }: NamedPackage): Promise<SpeakingManifest | undefined> {
  const installed = await installedPackage(importer, name);
  if (!installed) return undefined;
  const { version, symposium } = installed.manifest;
  const manifestPath = join(installed.folder, "package.json");
  return { kind: "npm", name, version: stringOf(version), manifestPath, symposium };
}

/**
 * Returns installed Python packages whose pyproject.toml has a `[tool.symposium]` table. Reads pyproject.toml from the sources or the
 * import package, because built distributions don't include the file.
 */
async function speakingDistributions(
  folders: readonly string[],
  used: ReadonlySet<string>,
  env: NodeJS.ProcessEnv,
): Promise<readonly SpeakingManifest[]> {
  if (used.size === 0) return [];
  const installed = (await installedDistributions(folders, env)).filter(({ name }) => used.has(name));
  const found = installed.map(async (distribution): Promise<readonly SpeakingManifest[]> => {
    const manifestPath = await pyprojectOf(distribution);
    const text = manifestPath === undefined ? undefined : await readManifestText(manifestPath);
    const manifest = text === undefined ? undefined : readManifest("pyproject.toml", text);
    if (manifestPath === undefined || !manifest || "message" in manifest || manifest.symposium === undefined) return [];
    const { name, version } = distribution;
    return [{ kind: "python", name, version, manifestPath, symposium: manifest.symposium }];
  });
  return (await Promise.all(found)).flat();
}

/** Returns a Python package of the workspace if another package in the workspace uses it. */
function ownPackage(
  { file, manifest }: { readonly file: string; readonly manifest: Manifest },
  used: ReadonlySet<string>,
): SpeakingManifest[] {
  const { kind, name, symposium } = manifest;
  if (kind !== "python" || name === undefined || symposium === undefined) return [];
  return used.has(packageKey("python", name))
    ? [{ kind, name, version: undefined, manifestPath: file, symposium }]
    : [];
}
