import { parsedObject, asObject } from "../../../base/rpc/json.js";
import { joined, type PackageFiles } from "../package-files.js";
import { pythonNameKey } from "../../../base/python-name-key.js";

/** An installed distribution in a folder such as site-packages. */
export interface Distribution {
  readonly name: string;
  readonly version: string;
  /** Site-packages or similar folder that contains the distribution. */
  readonly site: string;
  /** Path of the distribution's `.dist-info` or `.egg-info`, relative to `site`. */
  readonly info: string;
  /** Program that installed the distribution, such as `pip`, `uv` or `conda`; empty if unknown. */
  readonly installer: string;
  /** The distribution's files, relative to `site`; empty if the distribution has no file list. */
  readonly files: readonly string[];
  /** Importable top-level names, from top_level.txt and the distribution's file list. */
  readonly tops: ReadonlySet<string>;
  /** Source folder if the distribution is an editable installation. */
  readonly editable: string | undefined;
  /** Source of the distribution if it isn't from an index. */
  readonly origin: string | undefined;
}

const maxRecordBytes = 32 * 1024 * 1024;

/** Reads a distribution from its `.dist-info` or `.egg-info`. */
export async function readDistribution(
  files: PackageFiles,
  site: string,
  info: string,
): Promise<Distribution | undefined> {
  const folder = joined(site, info);
  const isEgg = info.endsWith(".egg-info");
  const isFile = isEgg && (await files.isFile(folder));
  const read = (name: string): Promise<string | undefined> => files.read(joined(folder, name), maxRecordBytes);
  const [metadata, record, top, installer, direct] = await Promise.all([
    isFile ? files.read(folder) : read(isEgg ? "PKG-INFO" : "METADATA"),
    isFile ? undefined : read("RECORD"),
    isFile ? undefined : read("top_level.txt"),
    isFile ? undefined : read("INSTALLER"),
    isFile ? undefined : read("direct_url.json"),
  ]);
  const [, named, versioned] = /^(.+?)-(\d[^-]*)(?:-.*)?\.(?:dist|egg)-info$/.exec(info) ?? [];
  const name = headerOf(metadata ?? "", "Name") ?? named;
  const version = headerOf(metadata ?? "", "Version") ?? versioned;
  if (name === undefined || version === undefined || !/^[\w.-]+$/.test(name)) return undefined;
  const recorded = recordedFiles(record ?? "");
  const { editable, origin } = urlOf(direct ?? "");
  const words = (top ?? "").split(/\s+/).filter((word) => /^\w+$/.test(word));
  return {
    name,
    version: version.trim(),
    site,
    info,
    installer: (installer ?? "").trim().slice(0, 40),
    files: recorded,
    tops: new Set([...words, ...recorded.flatMap((file) => topOf(file) ?? [])]),
    editable,
    origin,
  };
}

/** Returns the importable top-level names without parsing the other data. */
export async function readTops(files: PackageFiles, site: string, info: string): Promise<ReadonlySet<string>> {
  const record = await files.read(joined(site, `${info}/RECORD`), maxRecordBytes);
  if (record === undefined) return (await readDistribution(files, site, info))?.tops ?? new Set();
  const tops = new Set<string>();
  let last = "";
  for (const line of record.split("\n")) {
    // Skip the line if the previous file was in the same top-level folder; RECORD lists such files together.
    if (last !== "" && line.startsWith(last)) continue;
    const end = line.indexOf(",");
    const file = line.slice(0, end < 0 ? undefined : end).replace(/^"/, "");
    const top = topOf(file);
    last = file.includes("/") ? file.slice(0, file.indexOf("/") + 1) : "";
    if (top !== undefined) tops.add(top);
  }
  return tops;
}

/**
 * Returns the paths in the site folder that belong to the distribution: whole folders that no other distribution shares, and otherwise
 * single files.
 */
export function ownedPaths({ files, info, tops, name }: Distribution): readonly string[] {
  if (files.length === 0) {
    const guessed = tops.size > 0 ? [...tops] : [pythonNameKey(name).replaceAll("-", "_")];
    return [...guessed.flatMap((top) => [top, `${top}.py`]), info];
  }
  // A folder with `__init__` belongs to one distribution; other folders may be shared.
  const packages = new Set(
    files.filter((file) => /\/__init__\.pyi?$/.test(file)).map((file) => file.replace(/\/[^/]*$/, "")),
  );
  const owned = new Set<string>();
  for (const file of files) {
    const parts = file.split("/");
    if (parts.includes("__pycache__") || (parts[0] ?? "").endsWith(".dist-info")) continue;
    const whole = parts.slice(0, -1).findIndex((_, index) => packages.has(parts.slice(0, index + 1).join("/")));
    owned.add(whole < 0 ? file : parts.slice(0, whole + 1).join("/"));
  }
  return [...owned, `${info}/METADATA`];
}

/** Returns how many leading parts of the dotted module name match a file of the distribution. */
export function depthIn({ files }: Distribution, module: readonly string[]): number {
  for (let depth = module.length; depth > 0; depth--) {
    const path = module.slice(0, depth).join("/");
    const isThere = files.some(
      (file) =>
        file.startsWith(path) && /^(?:\/|\.pyi?$|\.[\w-]*\.?(?:so|pyd)$|-stubs\/)/.test(file.slice(path.length)),
    );
    if (isThere) return depth;
  }
  return 0;
}

/** Returns the first column of a RECORD file (CSV), omitting paths outside the site folder. */
function recordedFiles(text: string): readonly string[] {
  const files: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",]+)),/.exec(line) ?? [];
    const name = (quoted?.replaceAll('""', '"') ?? plain)?.replaceAll("\\", "/");
    if (name === undefined || /^(?:\/|[A-Za-z]:)|\0/.test(name) || name.split("/").includes("..")) continue;
    files.push(name);
  }
  return files;
}

function topOf(file: string): string | undefined {
  const [first = "", ...rest] = file.split("/");
  if (rest.length > 0) return /^[A-Za-z_]\w*$/.test(first) && first !== "__pycache__" ? first : undefined;
  return /^([A-Za-z_]\w*)\.(?:py|pyi|(?:[\w-]+\.)?(?:so|pyd))$/.exec(first)?.[1];
}

function headerOf(metadata: string, name: string): string | undefined {
  for (const line of metadata.slice(0, 4_000).split(/\r?\n/)) {
    if (line === "") return undefined;
    if (line.toLowerCase().startsWith(`${name.toLowerCase()}:`)) return line.slice(name.length + 1).trim();
  }
  return undefined;
}

function urlOf(text: string): Pick<Distribution, "editable" | "origin"> {
  const root = parsedObject(text);
  const url = root?.["url"];
  if (typeof url !== "string") return { editable: undefined, origin: undefined };
  const folder = folderOf(url);
  const isEditable = asObject(root?.["dir_info"])?.["editable"] === true;
  const commit = asObject(root?.["vcs_info"])?.["commit_id"];
  // Removes credentials from the URL.
  const shown = url.replace(/\/\/[^@/]*@/, "//");
  return {
    editable: isEditable ? folder : undefined,
    origin: typeof commit === "string" ? `${shown} at ${commit.slice(0, 40)}` : shown,
  };
}

function folderOf(url: string): string | undefined {
  if (!url.startsWith("file://")) return undefined;
  const path = /^file:\/\/(?:localhost)?(\/.*)$/.exec(url)?.[1];
  try {
    const folder = path && decodeURIComponent(path).replaceAll("\\", "/");
    // Skip network paths, since on Windows even an existence check would connect to another machine.
    if (folder === undefined || folder.startsWith("//")) return undefined;
    return folder.replace(/^\/([A-Za-z]:)/, "$1").replace(/(?<=.)\/+$/, "");
  } catch {
    return undefined;
  }
}
