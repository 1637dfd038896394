import { asObject, parsedObject } from "../../base/rpc/json.js";
import { insideOf, isWithin, joined, parentOf, type PackageFiles } from "./package-files.js";
import {
  type InstalledPackage,
  packageFault,
  type PackageReader,
  type SourceKind,
  sourceKinds,
} from "./package-reader.js";

export interface KindOfFiles {
  readonly kind: SourceKind | "maps";
  readonly files: number;
  /** Common folder of the files, relative to the package's folder; empty for the package's folder itself. */
  readonly folder: string;
}

const mostFiles = 20_000;
const maxMapBytes = 16 * 1024 * 1024;
const maxMaps = 500;
/** Maximum characters of a package's source map contents. */
const maxSourcesLength = 64 * 1024 * 1024;
/** Number of packages whose source map contents are cached. */
const maxKeptSources = 2;
/** Prefix for paths of sources that exist only in source maps. */
const virtualPrefix = "sourcemap:";

interface Listing {
  readonly files: readonly string[];
  readonly isWhole: boolean;
}

/** Sources from a package's source maps. */
interface MappedSources {
  /** Source texts by path; the paths start with `sourcemap:`. */
  readonly texts: ReadonlyMap<string, string>;
  readonly isWhole: boolean;
}

/** Files of installed packages. Caches the lists of packages that never change. */
export class PackageFolders {
  readonly #listings = new Map<string, Promise<Listing>>();
  readonly #kinds = new WeakMap<Listing, readonly KindOfFiles[]>();
  readonly #sources = new Map<string, Promise<MappedSources>>();

  /** Creates an empty cache. `maxLength` limits the characters of a package's source map contents. */
  constructor(
    private readonly files: PackageFiles,
    private readonly maxLength = maxSourcesLength,
  ) {}

  /** Returns sorted paths in the package. Excludes links, hidden files and nested packages. */
  async paths(found: InstalledPackage): Promise<Listing> {
    if (!found.isFixed) return this.#list(found);
    return kept(this.#listings, keyOf(found), 200, () => this.#list(found));
  }

  async kinds(found: InstalledPackage, reader: PackageReader): Promise<readonly KindOfFiles[]> {
    const listing = await this.paths(found);
    const known = this.#kinds.get(listing) ?? kindsOf(listing.files, reader);
    this.#kinds.set(listing, known);
    return known;
  }

  /** Returns sources that exist only in the package's source maps, by path. */
  async sources(found: InstalledPackage): Promise<MappedSources> {
    const read = async (): Promise<MappedSources> => {
      const { files } = await this.paths(found);
      const there = new Set(files);
      const texts = new Map<string, string>();
      const maps = files.filter((file) => /\.[cm]?[jt]s\.map$/.test(file) && !/\.d\.[cm]?ts\.map$/.test(file));
      let length = 0;
      for (const map of maps.slice(0, maxMaps)) {
        const text = await this.files.read(joined(found.folder, map), maxMapBytes);
        for (const [path, source] of sourcesOf(map, text ?? "")) {
          if (there.has(path)) continue;
          const key = `${virtualPrefix}${path}`;
          length += source.length - (texts.get(key)?.length ?? 0);
          if (length > this.maxLength) return { texts, isWhole: false };
          texts.set(key, source);
        }
      }
      return { texts, isWhole: maps.length <= maxMaps };
    };
    if (!found.isFixed) return read();
    return kept(this.#sources, keyOf(found), maxKeptSources, read);
  }

  /** Returns the text of a package's file, including sources that exist only in source maps. Rejects if the file doesn't exist. */
  async text(found: InstalledPackage, path: string): Promise<string> {
    const hint = "Give a path as package_sources, package_search or package_item shows it.";
    const plain = path.startsWith(`${found.folder}/`) ? path.slice(found.folder.length + 1) : path.replace(/^\.\//, "");
    if (plain.startsWith(virtualPrefix)) {
      const source = (await this.sources(found)).texts.get(plain);
      if (source !== undefined) return source;
      throw packageFault(`${found.name} ${found.version} has no source "${plain}" in its source maps.`, hint);
    }
    const full = joined(found.folder, plain);
    const isSafe =
      !/\0|^(?:\/|[A-Za-z]:)/.test(plain) && plain.split("/").every((part) => part !== ".." && !part.startsWith("."));
    const root = await this.files.realPath(found.folder);
    // A folder that no package manager created may contain files that don't belong to the package.
    const isOwn = found.isFixed || found.only?.some((one) => insideOf(plain, one) !== undefined) !== false;
    const real = isSafe && isOwn ? await this.files.realPath(full) : undefined;
    if (real === undefined || root === undefined || !real.startsWith(`${root}/`)) {
      throw packageFault(`${found.name} ${found.version} has no file ${JSON.stringify(plain)}.`, hint);
    }
    const text = await this.files.read(full);
    if (text === undefined)
      throw packageFault(`"${plain}" of ${found.name} isn't a text file, or is larger than 4 MiB.`, hint);
    return text;
  }

  async #list({ folder, only }: InstalledPackage): Promise<Listing> {
    const files: string[] = [];
    const visit = async (prefix: string): Promise<void> => {
      for (const { name, kind } of await this.files.list(joined(folder, prefix))) {
        if (files.length >= mostFiles) return;
        if (name.startsWith(".") || name === "node_modules" || name === "__pycache__") continue;
        if (kind === "file") files.push(prefix + name);
        else if (kind === "folder") await visit(`${prefix}${name}/`);
      }
    };
    if (only === undefined) await visit("");
    for (const path of only ?? []) {
      // Skip listed paths that lead out of the package through a link.
      if (!(await isWithin(this.files, joined(folder, path), folder))) continue;
      if (await this.files.isFile(joined(folder, path))) files.push(path);
      else await visit(`${path}/`);
    }
    return { files, isWhole: files.length < mostFiles };
  }
}

/** Returns the cache key of a package. Includes the version, since the next installation may replace the folder's content. */
function keyOf({ folder, version, only }: InstalledPackage): string {
  return `${folder}\0${version}\0${only?.join("\0") ?? ""}`;
}

function kindsOf(files: readonly string[], reader: PackageReader): readonly KindOfFiles[] {
  const byKind = new Map<SourceKind | "maps", string[]>();
  for (const file of files) {
    const kind = file.endsWith(".map") ? "maps" : reader.kindOf(file);
    const some = byKind.get(kind) ?? [];
    some.push(file);
    byKind.set(kind, some);
  }
  const order: readonly (SourceKind | "maps")[] = [...sourceKinds.slice(0, 2), "maps", ...sourceKinds.slice(2)];
  return order.flatMap((kind) => {
    const some = byKind.get(kind) ?? [];
    return some.length === 0 ? [] : [{ kind, files: some.length, folder: commonFolder(some) }];
  });
}

function* sourcesOf(map: string, text: string): Generator<readonly [string, string]> {
  const root = parsedObject(text.replace(/^\)\]\}'[^\n]*\n/, ""));
  const parts = Array.isArray(root?.["sections"])
    ? root["sections"].map((one) => asObject(asObject(one)?.["map"]))
    : [root];
  for (const part of parts) {
    const sources: readonly unknown[] = Array.isArray(part?.["sources"]) ? part["sources"] : [];
    const contents: readonly unknown[] = Array.isArray(part?.["sourcesContent"]) ? part["sourcesContent"] : [];
    const base = typeof part?.["sourceRoot"] === "string" ? `${part["sourceRoot"]}/` : "";
    for (const [index, source] of sources.entries()) {
      const content = contents[index];
      if (typeof source !== "string" || typeof content !== "string") continue;
      const path = sourcePath(map, base + source);
      if (path !== "" && !path.includes("node_modules/") && !path.includes("\0")) yield [path, content];
    }
  }
}

/** Returns a source's path in the package. Bundlers write `webpack://name/./src/a.ts`, relative to the package's folder. */
function sourcePath(map: string, source: string): string {
  const plain = source.replace(/[?#].*$/, "");
  const inPackage = /^[a-z][\w+.-]*:\/\/[^/]*\/(.*)$/i.exec(plain)?.[1];
  const from = inPackage === undefined && map.includes("/") ? parentOf(map) : "";
  return joined(`/${from}`, (inPackage ?? plain).replace(/^\/+/, "")).slice(1);
}

function commonFolder(paths: readonly string[]): string {
  const [first = "", ...others] = paths;
  let folder = first.split("/").slice(0, -1);
  for (const path of others) {
    const parts = path.split("/");
    const same = folder.findIndex((part, index) => parts[index] !== part);
    if (same >= 0) folder = folder.slice(0, same);
  }
  return folder.join("/");
}

/** Returns the cached value or computes it. Drops the least recently used values if the cache has more than `most`. */
function kept<Value>(
  map: Map<string, Promise<Value>>,
  key: string,
  most: number,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = map.get(key) ?? make();
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
  value.catch(() => map.delete(key));
  return value;
}
