import type { Machine } from "../machine.js";
import { insideOf, isWithin, joined, type PackageFiles, parentOf, ReadOnce } from "../package-files.js";
import type {
  AbsentPackage,
  InstalledPackage,
  OtherVersion,
  PackageAnswer,
  PackageItem,
  PackageQuestion,
  PackageReader,
} from "../package-reader.js";
import { GoDeclarations } from "./go-declarations.js";
import { goKindOf } from "./go-source-kind.js";
import { type GoProject, GoProjects, shownIn } from "./go-project.js";
import { GoSettings } from "./go-settings.js";
import { compareVersions, escapedName, inModule, mayBeStandard, parseImportPath, prefixesOf } from "./module-path.js";
import { isPruned, type ModuleGraph, ModuleGraphs, replacementOf } from "./module-graph.js";

/** A selected module version that may contain the package. */
interface Selected {
  readonly path: string;
  readonly version: string;
  readonly why: string;
}

type LocatedModule = Pick<InstalledPackage, "name" | "version" | "folder" | "why" | "isFixed">;

/**
 * Finds Go packages as the `go` command does: by go.work or go.mod, replacements, vendored packages, the module cache and GOROOT. A package
 * belongs to the module with the longest path that contains its folder.
 */
export class GoPackages implements PackageReader {
  readonly ecosystem = "go";
  readonly markers = ["go.mod", "go.work"];
  readonly kindOf = goKindOf;
  readonly #settings: GoSettings;
  readonly #projects: GoProjects;
  readonly #graphs: ModuleGraphs;
  readonly #declarations: GoDeclarations;
  readonly #sums: ReadOnce<ReadonlySet<string>>;

  constructor(
    private readonly files: PackageFiles,
    machine: Machine,
  ) {
    this.#settings = new GoSettings(files, machine);
    this.#projects = new GoProjects(files, this.#settings);
    this.#graphs = new ModuleGraphs(files);
    this.#declarations = new GoDeclarations(files, machine);
    this.#sums = new ReadOnce(files, parseSums, 32 * 1024 * 1024, 50);
  }

  imports(file: string): boolean {
    return file.endsWith(".go");
  }

  fetchCommand(name: string, version: string | undefined): string {
    return `go mod download ${name}@${version ?? "latest"} (in an empty folder)`;
  }

  async storedAt(name: string, version: string): Promise<string | undefined> {
    const folder = joined(await this.#settings.moduleCache(), `${escapedName(name)}@${escapedName(version)}`);
    return this.files.realPath(folder);
  }

  async resolve({ name, from }: PackageQuestion): Promise<PackageAnswer> {
    const path = parseImportPath(name);
    const project = await this.#projects.around(from);
    const own = project && (await this.#ofProject(project, path));
    if (own) return own;
    // A project module's path may also have no dot, so that only an existing package is from the standard library.
    const standard = mayBeStandard(path) ? await this.#standard(path, project) : undefined;
    if (standard) return standard;
    if (!project) return this.#unasked(path, from);
    return project.vendor ? this.#vendored(project, project.vendor, path) : this.#fromCache(project, path);
  }

  async entry({ folder, subpath }: InstalledPackage): Promise<string | undefined> {
    const names = (await this.files.list(joined(folder, subpath))).map(({ name }) => name);
    const sources = names.filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"));
    const last = subpath.slice(subpath.lastIndexOf("/") + 1) || folder.replace(/@[^/]*$/, "").replace(/^.*\//, "");
    const file = sources.find((one) => one === "doc.go") ?? sources.find((one) => one === `${last}.go`) ?? sources[0];
    return file && (subpath === "" ? file : `${subpath}/${file}`);
  }

  names(found: InstalledPackage): Promise<readonly string[]> {
    return this.#declarations.names(found);
  }

  items(found: InstalledPackage, symbol: string): Promise<readonly PackageItem[]> {
    return this.#declarations.items(found, symbol, async (name, from) => {
      const answer = await this.resolve({ name, from }).catch(() => undefined);
      return answer?.kind === "installed" ? answer : undefined;
    });
  }

  /** Finds a package in the modules developed in the project. */
  async #ofProject(project: GoProject, path: string): Promise<PackageAnswer | undefined> {
    const mains = project.mains
      .filter(({ mod }) => inModule(path, mod.module) !== undefined)
      .toSorted((left, right) => right.mod.module.length - left.mod.module.length);
    for (const { folder, mod } of mains) {
      const subpath = inModule(path, mod.module) ?? "";
      if (!(await this.#hasPackage(joined(folder, subpath)))) continue;
      return {
        kind: "installed",
        ecosystem: this.ecosystem,
        name: mod.module,
        // Go's version of code built from a working folder.
        version: "(devel)",
        folder,
        subpath,
        why: [`it is a module of this project: ${joined(folder, "go.mod")}`],
        others: [],
        isFixed: false,
      };
    }
    return undefined;
  }

  async #standard(path: string, project: GoProject | undefined): Promise<InstalledPackage | undefined> {
    const root = await this.#settings.root(project?.toolchain);
    if (!root || !(await this.#hasPackage(joined(root.folder, path)))) return undefined;
    const asks =
      project?.toolchain === undefined ? [] : [`${shownIn(project, project.file)} asks for ${project.toolchain}`];
    return {
      kind: "installed",
      ecosystem: this.ecosystem,
      name: "std",
      version: root.version,
      folder: root.folder,
      only: [path],
      subpath: path,
      why: [`"${path}" is in Go's standard library, in GOROOT`, ...asks],
      others: [],
      isFixed: true,
    };
  }

  async #vendored(project: GoProject, { folder, modules }: NonNullable<GoProject["vendor"]>, path: string) {
    const list = joined(folder, "modules.txt");
    const found =
      modules.find(({ packages }) => packages.includes(path)) ??
      modules.filter((one) => one.path === path).find(({ packages }) => packages.length > 0);
    const named = found && (await isWithin(this.files, joined(folder, found.path), folder)) ? found : undefined;
    const module = named ?? longest(modules.filter((one) => inModule(path, one.path) !== undefined));
    const asked = module && this.#askedBy(project, module.path);
    const drift =
      module && asked && asked !== module.version && project.mains.length === 1
        ? `${project.file} requires ${asked}, but ${module.version} is vendored: run go mod vendor to sync them`
        : undefined;
    if (!named || !module) {
      const why = [`${list} has no package "${path}": builds use the vendored packages`];
      return this.#absent(path, module?.path ?? path, module?.version, why, []);
    }
    const [to, toVersion] = named.replacement?.split(" ") ?? [];
    const others = modules.filter((one) => one.path.startsWith(`${named.path}/`));
    const at = joined(folder, named.path);
    const inner = others.map((one) => inModule(one.path, named.path) ?? "");
    const only = inner.length === 0 ? undefined : await this.#without(at, inner);
    return {
      kind: "installed",
      ecosystem: this.ecosystem,
      name: to !== undefined && toVersion !== undefined ? to : named.path,
      version: toVersion ?? named.version,
      folder: at,
      ...(only && { only }),
      subpath: inModule(path, named.path) ?? "",
      why: [
        `${list} has it, and builds use the vendored packages`,
        ...(to === undefined ? [] : [`it is replaced by ${named.replacement ?? to}`]),
        "only packages in use are vendored",
      ],
      ...(drift !== undefined && { drift }),
      others: [],
      isFixed: false,
    } satisfies InstalledPackage;
  }

  async #fromCache(project: GoProject, path: string): Promise<PackageAnswer> {
    const cache = await this.#settings.moduleCache();
    const graph = await this.#graphs.of(project, cache);
    const prefixes = prefixesOf(path);
    const candidates = prefixes.flatMap((prefix) => this.#selected(project, graph, prefix) ?? []);
    let missing: AbsentPackage | undefined;
    for (const selected of candidates) {
      const place = await this.#placeOf(project, selected, cache);
      const subpath = inModule(path, selected.path) ?? "";
      if (!place.isThere) {
        missing ??= this.#absent(
          path,
          place.name,
          place.version,
          [selected.why, ...place.why, `${place.folder} does not exist`],
          await this.#others(place.name, place.version, cache),
          subpath,
        );
        continue;
      }
      if (!(await this.#hasFolder(joined(place.folder, subpath)))) continue;
      const drift = await this.#withoutSum(project, place, selected);
      return {
        kind: "installed",
        ecosystem: this.ecosystem,
        name: place.name,
        version: place.version,
        folder: place.folder,
        subpath,
        why: [selected.why, ...place.why],
        ...(drift !== undefined && { drift }),
        others: await this.#others(place.name, place.version, cache),
        isFixed: place.isFixed,
      };
    }
    if (missing) return missing;
    const [first] = candidates;
    const why = first
      ? [`${first.path} ${first.version} has no package "${path}"`]
      : [`no module resolved from ${project.file} has the path "${path}" or a parent of it`];
    return this.#absent(
      path,
      first?.path ?? usualModule(path),
      first?.version,
      why,
      first ? await this.#others(first.path, first.version, cache) : [],
    );
  }

  /** Returns the selected version of a module in the project. */
  #selected(project: GoProject, graph: ModuleGraph, path: string): Selected | undefined {
    const asked = this.#askedBy(project, path);
    const version =
      project.mains.length === 1 && asked !== undefined && isPruned(project.decides) ? asked : graph.selected.get(path);
    if (version === undefined) return undefined;
    const file = shownIn(project, joined(project.own.folder, "go.mod"));
    const who = graph.wanted.get(path)?.get(version) ?? [];
    const why =
      asked === version
        ? `${file} requires ${path} ${version}`
        : asked === undefined
          ? `${file} does not require ${path}; ${version} comes from ${shownList(who)}`
          : `${file} requires ${path} ${asked}, and ${shownList(who)} ${version}: the newest is used`;
    return { path, version, why };
  }

  async #placeOf(
    project: GoProject,
    { path, version }: Selected,
    cache: string,
  ): Promise<LocatedModule & { readonly isThere: boolean }> {
    const replaced = replacementOf(project, path, version);
    const local = replaced && replaced.toVersion === undefined;
    const [name, at] = replaced?.toVersion === undefined ? [path, version] : [replaced.to, replaced.toVersion];
    const plain = local
      ? joined(replaced.base, replaced.to.replaceAll("\\", "/"))
      : joined(cache, `${escapedName(name)}@${escapedName(at)}`);
    const real = await this.files.realPath(plain);
    const why = replaced
      ? [
          `it is replaced by ${replaced.to}${replaced.toVersion === undefined ? "" : ` ${replaced.toVersion}`}`,
          ...(local ? ["that is a folder on this machine, not a published version"] : []),
        ]
      : [];
    // As for `go`, a replacement folder without go.mod isn't a module.
    const isThere = real !== undefined && (!local || (await this.files.isFile(joined(real, "go.mod"))));
    return { name, version: at, folder: real ?? plain, why, isFixed: !local, isThere };
  }

  /** Returns the reason why `go` would refuse to build with this version; undefined if it wouldn't. */
  async #withoutSum(
    project: GoProject,
    { name, version, isFixed }: LocatedModule,
    selected: Selected,
  ): Promise<string | undefined> {
    if (!isFixed) return undefined;
    const sums = [
      ...project.mains.map(({ folder }) => joined(folder, "go.sum")),
      project.file.replace(/\.work$/, ".work.sum"),
    ];
    for (const file of sums) {
      const text = file.endsWith("sum") ? await this.#sums.of(file) : undefined;
      if (text?.has(`${name} ${version}`) === true) return undefined;
    }
    const own = joined(project.own.folder, "go.sum");
    return `${own} has no checksum of ${selected.path} ${version}: run go mod tidy before you build`;
  }

  /** Returns other versions in the module cache. `wantedBy` is empty, since a build uses only one version of each module. */
  async #others(name: string, version: string, cache: string): Promise<readonly OtherVersion[]> {
    const place = joined(cache, escapedName(name));
    const prefix = `${place.slice(place.lastIndexOf("/") + 1)}@`;
    const entries = await this.files.list(parentOf(place));
    return entries
      .filter(({ name: one, kind }) => kind === "folder" && one.startsWith(prefix))
      .map(({ name: one }) =>
        one.slice(prefix.length).replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      )
      .filter((other) => other !== version)
      .toSorted((left, right) => compareVersions(right, left))
      .map((other) => ({ version: other, wantedBy: [] }));
  }

  #askedBy({ own }: GoProject, path: string): string | undefined {
    return own.mod.requires.find((one) => one.path === path)?.version;
  }

  /** Answers for a folder without go.mod, in which Go finds no package. */
  #unasked(path: string, from: string): AbsentPackage {
    return this.#absent(path, usualModule(path), undefined, [`there is no go.mod from ${from} upwards`], []);
  }

  #absent(
    path: string,
    name: string,
    wanted: string | undefined,
    why: readonly string[],
    others: readonly OtherVersion[],
    subpath = inModule(path, name) ?? "",
  ): AbsentPackage {
    return {
      kind: "absent",
      ecosystem: this.ecosystem,
      name,
      ...(wanted !== undefined && { wanted }),
      subpath,
      why,
      others,
    };
  }

  async #hasFolder(folder: string): Promise<boolean> {
    return (await this.files.realPath(folder)) !== undefined && !(await this.files.isFile(folder));
  }

  async #hasPackage(folder: string): Promise<boolean> {
    return (await this.files.list(folder)).some(({ name, kind }) => kind === "file" && name.endsWith(".go"));
  }

  /** Lists a folder without the parts that belong to nested modules. */
  async #without(folder: string, inner: readonly string[]): Promise<readonly string[]> {
    const visit = async (prefix: string): Promise<readonly string[]> => {
      const entries = (await this.files.list(joined(folder, prefix))).filter(({ kind }) => kind !== "link");
      const paths = await Promise.all(
        entries.map(async ({ name }) => {
          const path = prefix + name;
          if (inner.includes(path)) return [];
          return inner.some((one) => insideOf(one, path) !== undefined) ? visit(`${path}/`) : [path];
        }),
      );
      return paths.flat();
    };
    return visit("");
  }
}

function longest<Module extends { readonly path: string }>(modules: readonly Module[]): Module | undefined {
  return modules.toSorted((left, right) => right.path.length - left.path.length)[0];
}

/** Guesses the module of an unknown path by the rules of common hosts. */
function usualModule(path: string): string {
  const parts = path.split("/");
  const count = /^(?:github\.com|gitlab\.com|bitbucket\.org|golang\.org)$/.test(parts[0] ?? "") ? 3 : parts.length;
  const major = /^v\d+$/.test(parts[count] ?? "") ? 1 : 0;
  return parts.slice(0, count + major).join("/");
}

function shownList(who: readonly string[]): string {
  return who.length === 0
    ? "another module"
    : who.length === 1
      ? (who[0] ?? "")
      : `${who[0]} and ${who.length - 1} more`;
}

/** Parses the lines of a go.sum without their checksums. */
function parseSums(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").map((line) => line.replace(/ h1:.*$/, "").trim()));
}
