import { joined, type PackageFiles, ReadOnce } from "../package-files.js";
import { type GoMod, parseGoMod } from "../../../base/go-mod.js";
import type { GoProject } from "./go-project.js";
import { compareVersions, escapedName } from "./module-path.js";

/** All requested module versions, and the selected ones: the newest of each module. */
export interface ModuleGraph {
  readonly selected: ReadonlyMap<string, string>;
  /** Requesters by module and version, as `module@version`, or `module` for modules of the project. */
  readonly wanted: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
}

/** Limit of read versions. Real programs have a few thousand. */
const maxRead = 4_000;

/**
 * Reads the module graph from go.mod files in the module cache. As `go` since 1.17, doesn't follow a module that lists all its
 * dependencies. Skips missing files.
 */
export class ModuleGraphs {
  readonly #mods: ReadOnce<GoMod>;
  readonly #known = new WeakMap<GoMod, { readonly key: readonly GoMod[]; readonly graph: Promise<ModuleGraph> }>();

  constructor(files: PackageFiles) {
    this.#mods = new ReadOnce(files, parseGoMod, 4 * 1024 * 1024, 6_000);
  }

  /** Returns the cached graph until a go.mod of the project changes. */
  of(project: GoProject, cache: string): Promise<ModuleGraph> {
    const { mod } = project.own;
    const key = [project.decides, ...project.mains.map((main) => main.mod)];
    const known = this.#known.get(mod);
    if (known && known.key.length === key.length && known.key.every((one, index) => one === key[index])) {
      return known.graph;
    }
    const graph = this.#read(project, cache);
    this.#known.set(mod, { key, graph });
    return graph;
  }

  async #read(project: GoProject, cache: string): Promise<ModuleGraph> {
    const wanted = new Map<string, Map<string, string[]>>();
    const selected = new Map<string, string>();
    const isWhole = !isPruned(project.decides);
    const own = new Set(project.mains.map(({ mod }) => mod.module));
    const note = (mod: GoMod, by: string): void => {
      for (const { path, version } of mod.requires) {
        if (own.has(path)) continue;
        const versions = wanted.get(path) ?? new Map<string, string[]>();
        wanted.set(path, versions);
        const known = versions.get(version) ?? [];
        versions.set(version, known);
        if (!known.includes(by)) known.push(by);
        const before = selected.get(path);
        if (before === undefined || compareVersions(before, version) < 0) selected.set(path, version);
      }
    };
    const seen = new Set<string>();
    let level: readonly { readonly path: string; readonly version: string }[] = [];
    for (const { mod } of project.mains) {
      note(mod, mod.module);
      level = [...level, ...mod.requires.filter(({ path }) => !own.has(path))];
    }
    while (level.length > 0 && seen.size < maxRead) {
      const fresh = level.filter(({ path, version }) => {
        const key = `${path}@${version}`;
        if (seen.has(key) || seen.size >= maxRead) return false;
        seen.add(key);
        return true;
      });
      const read = await Promise.all(
        fresh.map(async ({ path, version }) => ({
          by: `${path}@${version}`,
          mod: await this.#modOf(project, cache, path, version),
        })),
      );
      const next: { readonly path: string; readonly version: string }[] = [];
      for (const { by, mod } of read) {
        if (!mod) continue;
        note(mod, by);
        if (isWhole || !isPruned(mod)) next.push(...mod.requires.filter(({ path }) => !own.has(path)));
      }
      level = next;
    }
    return { selected, wanted };
  }

  #modOf(project: GoProject, cache: string, path: string, version: string): Promise<GoMod | undefined> {
    const replaced = replacementOf(project, path, version);
    if (replaced && replaced.toVersion === undefined) {
      return this.#mods.of(joined(joined(replaced.base, replaced.to.replaceAll("\\", "/")), "go.mod"));
    }
    const [at, of] = replaced?.toVersion === undefined ? [path, version] : [replaced.to, replaced.toVersion];
    return this.#mods.of(joined(cache, `cache/download/${escapedName(at)}/@v/${escapedName(of)}.mod`));
  }
}

/** Returns the replacement of a module version. A replacement for one version takes precedence over one for all. */
export function replacementOf(project: GoProject, path: string, version: string) {
  const all = project.replaces.filter((one) => one.path === path);
  return all.find((one) => one.version === version) ?? all.find((one) => one.version === undefined);
}

/** Whether go.mod lists all dependencies of the module's packages, as required since Go 1.17. */
export function isPruned({ go }: GoMod): boolean {
  const [, major = "1", minor = "0"] = /^(\d+)\.(\d+)/.exec(go ?? "") ?? [];
  return Number(major) > 1 || Number(minor) >= 17;
}
