import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readManifestText } from "../../../base/node/project-folders.js";
import { parsedObject, asObject } from "../../../base/rpc/json.js";
import { packageKey } from "../manifests.js";

/** Maximum size of the file list. Large distributions list thousands of files. */
const maxRecordBytes = 4 * 1024 * 1024;

interface InstalledDistribution {
  readonly name: string;
  readonly version: string;
  /** Absolute folder of the installed files, such as `site-packages`. */
  readonly site: string;
  /** Files that the installer wrote, relative to `site`, with `/` separators. */
  files(): Promise<readonly string[]>;
  /** Absolute source folder if the distribution is installed from one. */
  sources(): Promise<string | undefined>;
}

/**
 * Lists distributions installed in the Python environments of `folders` and in the active environment. Starts no interpreter; never
 * rejects.
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

/** Returns the first column of a RECORD file (CSV). Skips quoted names. */
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
    // UNC paths are refused: opening one makes Windows connect and authenticate to another machine.
    return host === "" && !pathname.startsWith("//") ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the folders with this distribution's skills, each with the folder of its import package. */
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

/** Returns the path of a distribution's pyproject.toml, found in its sources or in its import package. */
export async function pyprojectOf(distribution: InstalledDistribution): Promise<string | undefined> {
  const sources = await distribution.sources();
  if (sources !== undefined) return join(sources, "pyproject.toml");
  const shipped = (await distribution.files()).find((name) => /^[A-Za-z_][\w-]*\/pyproject\.toml$/.test(name));
  return shipped === undefined ? undefined : join(distribution.site, ...shipped.split("/"));
}
