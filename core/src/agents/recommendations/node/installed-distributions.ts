import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readManifestText } from "../../../base/node/project-folders.js";
import { parsedObject, asObject } from "../../../base/rpc/json.js";
import { packageKey } from "../manifests.js";

/** Large distributions have thousands of files. */
const maxRecordBytes = 4 * 1024 * 1024;

/** A distribution that is installed in an environment of Python. */
interface InstalledDistribution {
  /** Comparable. */
  readonly name: string;
  readonly version: string;
  /** The folder that its files are in, such as `site-packages`; absolute. */
  readonly site: string;
  /** The files that its installer wrote, from `site`, with `/` between names. */
  files(): Promise<readonly string[]>;
  /** The folder of its sources, where it is installed from one; absolute. */
  sources(): Promise<string | undefined>;
}

/**
 * What is installed in the environments of Python that `folders` have, and in the active one. Reads file names alone: no
 * interpreter is started. Never rejects.
 */
export async function installedDistributions(
  folders: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly InstalledDistribution[]> {
  const own = folders.flatMap((folder) => [".venv", "venv", "env"].map((name) => join(folder, name)));
  const active = [env["VIRTUAL_ENV"], env["CONDA_PREFIX"]].filter((one) => one !== undefined && one !== "");
  const sites = (await Promise.all([...new Set([...own, ...active])].map(sitesOf))).flat();
  return (await Promise.all(sites.map(distributionsIn))).flat();
}

async function sitesOf(environment: string | undefined): Promise<readonly string[]> {
  if (environment === undefined) return [];
  const names = await readdir(join(environment, "lib")).catch(() => []);
  const versions = names.filter((name) => /^python3\.\d+$/.test(name)).sort();
  return [
    ...versions.map((name) => join(environment, "lib", name, "site-packages")),
    ...(process.platform === "win32" ? [join(environment, "Lib", "site-packages")] : []),
  ];
}

async function distributionsIn(site: string): Promise<readonly InstalledDistribution[]> {
  const names = await readdir(site).catch(() => []);
  return names.sort().flatMap((folder) => {
    const [, name, version] = /^([A-Za-z0-9][\w.]*)-([\w.!+]+)\.dist-info$/.exec(folder) ?? [];
    if (name === undefined || version === undefined) return [];
    const info = join(site, folder);
    return {
      name: packageKey("python", name),
      version,
      site,
      files: async () => recorded((await readManifestText(join(info, "RECORD"), maxRecordBytes)) ?? ""),
      sources: async () => sourcesOf((await readManifestText(join(info, "direct_url.json"))) ?? ""),
    };
  });
}

/** The first column of a RECORD, which is CSV; names in quotation marks are left out. */
function recorded(text: string): readonly string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name] = /^([^",]+),/.exec(line) ?? [];
    return name === undefined || name.split("/").includes("..") ? [] : [name];
  });
}

function sourcesOf(text: string): string | undefined {
  const { url, dir_info: folder } = parsedObject(text) ?? {};
  if (typeof url !== "string" || !url.startsWith("file://") || asObject(folder) === undefined) return undefined;
  try {
    const { host, pathname } = new URL(url);
    // Windows would connect to another machine, and sign in there, for the mere look at a folder.
    return host === "" && !pathname.startsWith("//") ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

/** The folders below `site` that have this distribution's skills, with the folder of the import package each is in. */
export async function skillFoldersOf(
  distribution: InstalledDistribution,
): Promise<readonly { readonly packageFolder: string; readonly folder: string }[]> {
  const sources = await distribution.sources();
  const inSources = sources === undefined ? [] : [{ packageFolder: sources, folder: join(sources, "skills") }];
  const tops = (await distribution.files()).flatMap((name) => {
    const [, top] = /^([A-Za-z_][\w-]*)\/skills\/[^/]+\/SKILL\.md$/.exec(name) ?? [];
    return top === undefined ? [] : [top];
  });
  return [
    ...inSources,
    ...[...new Set(tops)].map((top) => {
      const packageFolder = join(distribution.site, top);
      return { packageFolder, folder: join(packageFolder, "skills") };
    }),
  ];
}

/** The pyproject.toml of a distribution: of its sources, or one that it ships in its import package. */
export async function pyprojectOf(distribution: InstalledDistribution): Promise<string | undefined> {
  const sources = await distribution.sources();
  if (sources !== undefined) return join(sources, "pyproject.toml");
  const shipped = (await distribution.files()).find((name) => /^[A-Za-z_][\w-]*\/pyproject\.toml$/.test(name));
  return shipped === undefined ? undefined : join(distribution.site, ...shipped.split("/"));
}
