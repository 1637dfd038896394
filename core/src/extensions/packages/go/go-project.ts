import { insideOf, joined, type PackageFiles, parentOf, ReadOnce, upwards } from "../package-files.js";
import { type GoMod, parseGoMod, parseVendored, type Replaced } from "../../../base/go-mod.js";
import type { GoSettings } from "./go-settings.js";
import { compareVersions } from "./module-path.js";

/** A module developed in the project, with its own go.mod. */
interface MainModule {
  readonly folder: string;
  readonly mod: GoMod;
}

/** The project that determines an importer's versions. */
export interface GoProject {
  /** Module that contains the importer. */
  readonly own: MainModule;
  /** All modules of the workspace, or only `own`. */
  readonly mains: readonly MainModule[];
  /** The go.work or go.mod that determines the versions. */
  readonly file: string;
  /** Parsed content of {@link file}. */
  readonly decides: GoMod;
  readonly replaces: readonly (Replaced & { readonly base: string })[];
  /** Folder of vendored packages and its parsed modules.txt. */
  readonly vendor: { readonly folder: string; readonly modules: ReturnType<typeof parseVendored> } | undefined;
  /** Toolchain that the project requests, for example `go1.26.1`. */
  readonly toolchain: string | undefined;
}

/** Finds the file that determines versions, as `go` does: a go.work in a parent folder, else the nearest go.mod. */
export class GoProjects {
  readonly #mods: ReadOnce<GoMod>;
  readonly #vendored: ReadOnce<ReturnType<typeof parseVendored>>;

  constructor(
    files: PackageFiles,
    private readonly settings: GoSettings,
  ) {
    this.#mods = new ReadOnce(files, parseGoMod, 8 * 1024 * 1024, 5_000);
    this.#vendored = new ReadOnce(files, parseVendored, 16 * 1024 * 1024, 4);
  }

  mod(path: string): Promise<GoMod | undefined> {
    return this.#mods.of(path);
  }

  async around(from: string): Promise<GoProject | undefined> {
    const own = await this.#moduleAround(from);
    if (!own) return undefined;
    const work = await this.#workAround(own);
    const mains = work?.mains ?? [own];
    const root = work?.folder ?? own.folder;
    const local = mains.flatMap(({ folder, mod }) => mod.replaces.map((one) => ({ ...one, base: folder })));
    const fromWork = work?.mod.replaces.map((one) => ({ ...one, base: root })) ?? [];
    const decides = work?.mod ?? own.mod;
    return {
      own,
      mains,
      file: work?.file ?? joined(own.folder, "go.mod"),
      decides,
      // The workspace's replacements take precedence over those of its modules.
      replaces: [...fromWork, ...local],
      vendor: await this.#vendorIn(root, decides.go),
      toolchain: [decides.toolchain, `go${decides.go ?? ""}`].find((one) => /^go\d[\w.-]*$/.test(one ?? "")),
    };
  }

  async #moduleAround(from: string): Promise<MainModule | undefined> {
    for (const folder of upwards(from)) {
      const mod = await this.#mods.of(joined(folder, "go.mod"));
      // A vendored package belongs to the module that vendored it.
      if (mod && !/\/vendor\//.test(`${folder}/`)) return { folder, mod };
    }
    return undefined;
  }

  async #workAround(own: MainModule) {
    const named = await this.settings.value("GOWORK");
    if (named === "off") return undefined;
    const files = named === "" ? [...upwards(own.folder)].map((folder) => joined(folder, "go.work")) : [named];
    for (const file of files) {
      const mod = await this.#mods.of(file);
      if (!mod) continue;
      const folder = parentOf(file);
      const mains: MainModule[] = [];
      for (const use of mod.uses) {
        const at = joined(folder, use.replaceAll("\\", "/"));
        const used = await this.#mods.of(joined(at, "go.mod"));
        if (used) mains.push({ folder: at, mod: used });
      }
      // For a module outside the workspace, its own go.mod determines the versions.
      return mains.some((main) => main.folder === own.folder) ? { file, folder, mod, mains } : undefined;
    }
    return undefined;
  }

  async #vendorIn(root: string, go: string | undefined): Promise<GoProject["vendor"]> {
    const flags = await this.settings.value("GOFLAGS");
    if (/-mod=(?:mod|readonly)/.test(flags)) return undefined;
    const isUsual =
      go !== undefined && compareVersions(`v${go}.0`.replace(/^(v\d+\.\d+\.\d+)\.0$/, "$1"), "v1.14.0") >= 0;
    if (!isUsual && !/-mod=vendor/.test(flags)) return undefined;
    const folder = joined(root, "vendor");
    const modules = await this.#vendored.of(joined(folder, "modules.txt"));
    return modules && { folder, modules };
  }
}

/** Returns a path relative to the folder of the determining file, for display. */
export function shownIn({ file }: GoProject, path: string): string {
  return insideOf(path, parentOf(file)) ?? path;
}
