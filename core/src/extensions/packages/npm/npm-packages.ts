import { insideOf, joined, type PackageFiles, parentOf, ReadOnce, upwards } from "../package-files.js";
import type {
  AbsentPackage,
  InstalledPackage,
  PackageAnswer,
  PackageItem,
  PackageQuestion,
  PackageReader,
  SourceKind,
} from "../package-reader.js";
import { declaredItems, exportedNames } from "./declarations/declared-items.js";
import { typesEntry } from "./declarations/types-entry.js";
import { isPackageName, parseImport, typesPackageOf } from "./import-name.js";
import { type NpmManifest, parseManifest } from "./manifest.js";
import { type FoundLock, NpmLocks } from "./npm-locks.js";
import type { LockedPackage, LockImporter } from "./npm-lock.js";
import { PnpData, pnpState } from "./pnp-data.js";

/** A folder with its package.json. */
interface Owner {
  readonly folder: string;
  readonly manifest: NpmManifest;
}

interface LocatedPackage {
  readonly folder: string;
  readonly manifest: NpmManifest;
  /** Sentence that says how the package was found. */
  readonly way: string;
  readonly patch?: string | undefined;
  /** Whether the package's folder is a link to a folder outside the workspace and outside package managers' folders. */
  readonly isOutside?: boolean;
}

/** Matches paths in folders of installed packages, which several projects may share. */
const installedForm = /\/(?:node_modules|\.pnpm|\.yarn|\.bun)\//;
const maxStateBytes = 64 * 1024 * 1024;

/**
 * Finds npm packages as Node does: in node_modules folders from the importer upward, following links, or through Yarn's Plug'n'Play data.
 * Installed packages take precedence; lock files only add information.
 */
export class NpmPackages implements PackageReader {
  readonly ecosystem = "npm";
  readonly markers = ["package.json", "node_modules", ".pnp.cjs", ".pnp.js"];
  readonly kindOf = npmKindOf;
  readonly #manifests: ReadOnce<NpmManifest>;
  readonly #pnp: ReadOnce<PnpData>;
  readonly #locks: NpmLocks;

  constructor(private readonly files: PackageFiles) {
    this.#manifests = new ReadOnce(files, parseManifest, 4 * 1024 * 1024, 2_000);
    this.#pnp = new ReadOnce(
      files,
      (text, path) => {
        const state = path.endsWith(".json") ? text : pnpState(text);
        return state === undefined ? undefined : PnpData.parse(state, parentOf(path));
      },
      maxStateBytes,
      4,
    );
    this.#locks = new NpmLocks(files);
  }

  imports(file: string): boolean {
    return /\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx)$/.test(file);
  }

  async entry({ folder, subpath, types, name }: InstalledPackage): Promise<string | undefined> {
    const inside = name === "@types/node" && subpath !== "" ? `${subpath}.d.ts` : subpath;
    const file = await typesEntry(this.files, types?.folder ?? folder, inside);
    return file && insideOf(file, types?.folder ?? folder);
  }

  fetchCommand(name: string, version: string | undefined): string {
    return `npm pack ${name}${version === undefined ? "" : `@${version}`} --ignore-scripts`;
  }

  names(found: InstalledPackage): Promise<readonly string[]> {
    return exportedNames(this.files, found, (name, from) => this.#installed(name, from));
  }

  items(found: InstalledPackage, symbol: string): Promise<readonly PackageItem[]> {
    return declaredItems(this.files, found, symbol, (name, from) => this.#installed(name, from));
  }

  async #installed(name: string, from: string): Promise<InstalledPackage | undefined> {
    const answer = await this.resolve({ name, from }).catch(() => undefined);
    return answer?.kind === "installed" ? answer : undefined;
  }

  async resolve({ name: text, from, workspace }: PackageQuestion): Promise<PackageAnswer> {
    const asked = parseImport(text);
    if (asked.kind === "builtin") return this.#builtin(asked.name, from);
    const { name, subpath } = asked;
    const owner = await this.#ownerOf(from);
    const pnp = await this.#pnpAround(from);
    const found =
      (pnp && (await this.#pnpPlace(pnp, name, from))) ?? (await this.#place(name, from, owner, pnp, workspace));
    const lock = await this.#locks.around(owner?.folder ?? from);
    const asking = await this.#asking(name, owner, lock, from);
    const locked = lock?.lock.lockedFor(name, importerOf(owner, lock, asking?.range));
    if (!found) return { ...(await this.#absent(name, from, asking, lock, locked, pnp)), subpath };
    if (found.isOutside === true) {
      const hint =
        "links that leave the workspace aren't followed, because any repository may contain one: read that folder directly";
      return { ...(await this.#absent(name, from, asking, lock, locked, pnp)), subpath, why: [found.way, hint] };
    }
    const own = isPackageName(found.manifest.name) ? found.manifest.name : name;
    const versions = pnp?.versionsOf(own) ?? (lock && (await this.#versionsOf(own, lock))) ?? [];
    const drift = driftOf(found.manifest, own, locked, lock);
    const isWorkspace = !/(?:^|\/)node_modules\//.test(found.folder);
    const patch = found.patch ?? locked?.patch;
    return {
      kind: "installed",
      ecosystem: this.ecosystem,
      name: own,
      version: found.manifest.version,
      folder: found.folder,
      subpath,
      why: [
        ...(asking && (asking.range !== undefined || !isWorkspace) ? [asking.text] : []),
        found.way,
        ...(own === name ? [] : [`"${name}" is an alias for ${own}`]),
        ...(isWorkspace ? ["it is a folder on this machine, not a published version"] : []),
        ...(patch === undefined ? [] : [`it is patched: ${patch}`]),
        ...lockedSentence(found.manifest, own, locked, lock),
      ],
      // Versions of workspace folders can't be compared with locked versions.
      ...(drift !== undefined && !isWorkspace && { drift }),
      others: versions.filter(
        ({ version }) => version !== found.manifest.version && (drift === undefined || version !== locked?.version),
      ),
      ...(await this.#typesFor(found, [name, own], from)),
      isFixed: !isWorkspace,
    };
  }

  async #builtin(name: string, from: string): Promise<PackageAnswer> {
    const found = await this.resolve({ name: "@types/node", from });
    const why = `node:${name} is built into Node`;
    if (found.kind === "absent") {
      const hint = "Its types are in @types/node, which is not installed here.";
      return { ...found, why: [why, hint, ...found.why] };
    }
    return { ...found, subpath: name, why: [`${why}; these are its types`, ...found.why] };
  }

  /** Returns the package that contains a path: as in Node, the nearest parent folder with a package.json. */
  async #ownerOf(path: string): Promise<Owner | undefined> {
    const real = (await this.files.realPath(path)) ?? path;
    for (const folder of upwards(real)) {
      if (folder.endsWith("/node_modules")) return undefined;
      const manifest = await this.#manifests.of(joined(folder, "package.json"));
      // Skips a package.json that only sets the module type.
      if (manifest && (manifest.name !== "" || manifest.wanted.size > 0 || "private" in manifest.fields)) {
        return { folder, manifest };
      }
    }
    return undefined;
  }

  /** Returns the nearest Plug'n'Play data, if any. */
  async #pnpAround(from: string): Promise<PnpData | undefined> {
    for (const folder of upwards(from)) {
      for (const file of [".pnp.cjs", ".pnp.js"]) {
        const path = joined(folder, file);
        if ((await this.files.stamp(path)) === undefined) continue;
        return (await this.#pnp.of(path)) ?? (await this.#pnp.of(joined(folder, ".pnp.data.json")));
      }
    }
    return undefined;
  }

  async #pnpPlace(pnp: PnpData, name: string, from: string): Promise<LocatedPackage | undefined> {
    const found = pnp.resolve(name, from);
    const manifest = found && (await this.#manifests.of(joined(found.folder, "package.json")));
    if (!found || !manifest) return undefined;
    return {
      folder: found.folder,
      manifest: manifest.version === "" ? { ...manifest, version: found.version } : manifest,
      way: "Yarn's Plug'n'Play (.pnp.cjs) places it there",
      patch: found.patch,
    };
  }

  async #place(
    name: string,
    from: string,
    owner: Owner | undefined,
    pnp: PnpData | undefined,
    workspace?: string,
  ): Promise<LocatedPackage | undefined> {
    if (owner?.manifest.name === name && owner.manifest.fields["exports"] !== undefined) {
      return { ...owner, way: "the file belongs to this package, which may import itself by name" };
    }
    if (pnp) return undefined;
    const real = (await this.files.realPath(from)) ?? from;
    for (const folder of upwards(real)) {
      if (folder.endsWith("/node_modules")) continue;
      const path = joined(folder, `node_modules/${name}`);
      const target = (await this.files.realPath(path)) ?? path;
      if (target !== path && !(await this.#mayRead(target, from, workspace))) {
        const way = `${path} is a link to ${target}, which is outside the workspace`;
        return { folder: target, manifest: unread, way, isOutside: true };
      }
      const manifest = await this.#manifests.of(joined(path, "package.json"));
      if (!manifest) continue;
      const link = target === path ? "" : ", a link to its real location";
      return { folder: target, manifest, way: `Node finds it in ${joined(folder, "node_modules")}${link}` };
    }
    return undefined;
  }

  /**
   * Whether a link in node_modules may be followed. The target must be in the importer's workspace or repository, as for workspace
   * packages, or in a package manager's folder.
   */
  async #mayRead(target: string, from: string, workspace: string | undefined): Promise<boolean> {
    const real = (await this.files.realPath(from)) ?? from;
    const own = workspace === undefined ? undefined : ((await this.files.realPath(workspace)) ?? workspace);
    if (installedForm.test(`${target}/`) || (own !== undefined && insideOf(target, own) !== undefined)) return true;
    let outermost: string | undefined;
    for (const folder of upwards(real)) {
      if ((await this.files.stamp(joined(folder, ".git"))) !== undefined) return insideOf(target, folder) !== undefined;
      if ((await this.files.stamp(joined(folder, "package.json"))) !== undefined) outermost = folder;
    }
    return outermost !== undefined && insideOf(target, outermost) !== undefined;
  }

  /** Returns the manifest that requires the package: the importer's manifest, or one in a parent folder up to the lock file. */
  async #asking(
    name: string,
    owner: Owner | undefined,
    lock: FoundLock | undefined,
    from: string,
  ): Promise<{ readonly text: string; readonly range?: string } | undefined> {
    for (let at = owner; at; at = await this.#ownerOf(parentOf(at.folder))) {
      const found = at.manifest.wanted.get(name);
      const path = joined(at.folder, "package.json");
      if (found) return { text: `${path} requires "${found.range}" (${found.field})`, range: found.range };
      if (lock === undefined || at.folder === lock.folder || at.folder === parentOf(at.folder)) break;
    }
    const place = owner ? joined(owner.folder, "package.json") : from;
    return { text: `${place} does not require it: another package brought it in` };
  }

  async #versionsOf(name: string, { folder, lock }: FoundLock) {
    const locked = this.#locks.versionsIn(lock, name);
    const list = await this.#locks.installedIn(folder);
    if (!list) return locked;
    // npm's list of installed packages lacks the projects' own requirements, so add them from the lock file.
    return this.#locks.versionsIn(list, name).map(({ version, wantedBy }) => {
      const known = locked.find((one) => one.version === version)?.wantedBy ?? [];
      return { version, wantedBy: [...new Set([...known, ...wantedBy])] };
    });
  }

  async #typesFor(
    found: LocatedPackage,
    names: readonly string[],
    from: string,
  ): Promise<Pick<InstalledPackage, "types">> {
    if (names.some((name) => name.startsWith("@types/"))) return {};
    if (/\.[cm]?tsx?$/.test((await typesEntry(this.files, found.folder, "")) ?? "")) return {};
    const pnp = await this.#pnpAround(from);
    // Like TypeScript, try the imported name first, which may be an alias.
    for (const wanted of new Set(names.map(typesPackageOf))) {
      const place = pnp
        ? await this.#pnpPlace(pnp, wanted, from)
        : await this.#place(wanted, from, undefined, undefined);
      if (place && place.isOutside !== true)
        return { types: { name: wanted, version: place.manifest.version, folder: place.folder } };
    }
    return {};
  }

  async #absent(
    name: string,
    from: string,
    asking: { readonly text: string; readonly range?: string } | undefined,
    lock: FoundLock | undefined,
    locked: LockedPackage | undefined,
    pnp: PnpData | undefined,
  ): Promise<AbsentPackage> {
    const isAsked = asking?.range !== undefined;
    const versions = pnp?.versionsOf(name) ?? (lock && (await this.#versionsOf(name, lock))) ?? [];
    const wanted = locked?.version ?? asking?.range;
    return {
      kind: "absent",
      ecosystem: this.ecosystem,
      // A lock file may use a URL instead of a name.
      name: locked && isPackageName(locked.name) ? locked.name : name,
      ...(wanted !== undefined && { wanted }),
      why: [
        ...(isAsked ? [asking.text] : [`no package.json from ${from} upwards requires it`]),
        ...(locked && lock ? [`${joined(lock.folder, lock.file)} locks ${locked.version}`] : []),
        pnp
          ? "Yarn's Plug'n'Play doesn't provide it to any package here"
          : "no node_modules folder from there upwards contains it",
      ],
      others: versions,
    };
  }
}

const unread: NpmManifest = { name: "", version: "", wanted: new Map(), fields: {} };

function importerOf(owner: Owner | undefined, lock: FoundLock | undefined, range: string | undefined): LockImporter {
  const path = owner && lock ? (insideOf(owner.folder, lock.folder) ?? "") : "";
  return { path, name: owner?.manifest.name ?? "", version: owner?.manifest.version ?? "", range };
}

function isSame(manifest: NpmManifest, own: string, locked: LockedPackage): boolean {
  return locked.version === manifest.version && locked.name === own;
}

function lockedSentence(
  manifest: NpmManifest,
  own: string,
  locked: LockedPackage | undefined,
  lock: FoundLock | undefined,
): string[] {
  return locked && lock && isSame(manifest, own, locked) ? [`${lock.file} locks the same version`] : [];
}

function driftOf(
  manifest: NpmManifest,
  own: string,
  locked: LockedPackage | undefined,
  lock: FoundLock | undefined,
): string | undefined {
  if (!locked || !lock || isSame(manifest, own, locked) || !/^\d/.test(locked.version)) return undefined;
  const wanted = locked.name === own ? locked.version : `${locked.name} ${locked.version}`;
  const file = joined(lock.folder, lock.file);
  return `${file} locks ${wanted}, but ${manifest.version} is installed: run the project's install command to sync them`;
}

/** Classifies a file of an npm package by its path. */
function npmKindOf(path: string): SourceKind {
  const folders = path.split("/").slice(0, -1);
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (/\.d(?:\.[\w-]+)?\.[cm]?ts$/.test(file)) return "types";
  if (folders.some((one) => /^(?:examples?|demos?|samples?)$/i.test(one))) return "examples";
  if (folders.some((one) => /^(?:tests?|__tests__|specs?|e2e|bench(?:marks?)?)$/i.test(one))) return "tests";
  if (/\.(?:test|spec)\.[cm]?[jt]sx?$/.test(file)) return "tests";
  if (
    /\.(?:md|mdx|markdown|rst|txt|adoc)$/i.test(file) ||
    /^(?:readme|changelog|changes|history|licen[cs]e)/i.test(file)
  ) {
    return "docs";
  }
  if (/\.(?:[cm]?tsx?|vue|svelte|astro|coffee|flow)$/.test(file)) return "source";
  if (/\.[cm]?jsx?$/.test(file)) return folders.some((one) => /^(?:src|source)$/.test(one)) ? "source" : "built";
  return "other";
}
