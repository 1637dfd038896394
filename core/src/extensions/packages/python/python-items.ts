import { insideOf, joined, type PackageFiles, parentOf } from "../package-files.js";
import type { InstalledPackage, PackageItem } from "../package-reader.js";
import { type Declaring, DeclaringLines } from "../text/declaring-lines.js";
import { readDistribution } from "./distribution.js";
import { moduleFile } from "./site-packages.js";

type ResolvePackage = (module: string, from: string) => Promise<InstalledPackage | undefined>;

interface ModuleRoot {
  readonly found: InstalledPackage;
  /** Folder in which the first part of the module's dotted name is found. */
  readonly root: string;
}

interface PythonFile {
  readonly path: string;
  readonly text: string;
  readonly lines: DeclaringLines;
}

/** State of one search. Visits each module once per name. */
interface Walk {
  readonly resolve: ResolvePackage;
  /** Whether to prefer stub files, since compiled modules declare their names only in stubs. */
  readonly prefersStubs: boolean;
  readonly seen: Set<string>;
}

const maxSteps = 120;
const maxItems = 8;
const maxSearched = 600;

const declares = (name: string): RegExp =>
  new RegExp(
    String.raw`^\s*(?:(?:async\s+)?(?:def|class)\s+(${name})(?!\w)|type\s+(${name})(?!\w)|` +
      String.raw`(?!(?:if|elif|else|try|except|finally|with|for|while|return|lambda|match|case)\b)(${name})\s*(?::(?!=)|=(?!=)))`,
    "u",
  );
/** How Python declares names. */
export const python: Declaring = {
  marks: [
    { open: '"""', close: '"""', hasEscapes: true },
    { open: "'''", close: "'''", hasEscapes: true },
    { open: '"', close: '"', hasEscapes: true, isOneLine: true },
    { open: "'", close: "'", hasEscapes: true, isOneLine: true },
    { open: "#", close: "\n" },
  ],
  top: declares,
  member: declares,
  type: /^\s*class\b/,
  above: /^\s*@/,
  hidden: /^\s*(?:(?:async\s+)?def\s+|class\s+)?_(?!_(?:init|version)__\b)/,
};

/** Finds declarations in Python modules, following imports. Runs no code. */
export class PythonItems {
  constructor(private readonly files: PackageFiles) {}

  /** Returns the file of the imported module, relative to the package's folder. */
  async entry(found: InstalledPackage): Promise<string | undefined> {
    const { place, module } = await this.#start(found);
    const file = await this.#fileOf(place, module, false);
    return file && insideOf(file.path, found.folder);
  }

  /** Returns the names that the module exports: those in `__all__`, or all public names if there is no `__all__`. */
  async names(found: InstalledPackage): Promise<readonly string[]> {
    const { place, module } = await this.#start(found);
    const names = await this.#exported(place, module, new Set());
    return [...new Set(names)].filter((name) => !/^_(?!_version__$)/.test(name)).sort();
  }

  async #exported(place: ModuleRoot, module: readonly string[], seen: Set<string>): Promise<readonly string[]> {
    const key = module.join(".");
    const file = seen.has(key) || seen.size >= maxSteps ? undefined : await this.#fileOf(place, module, false);
    seen.add(key);
    if (!file) return [];
    const lists = [...file.text.matchAll(/^__all__\b[^=\n]*=\s*[[(]([^\])]{0,50000})/gm)].map(([, list = ""]) => list);
    const listed = lists.flatMap((list) => [...list.matchAll(/["'](\w+)["']/g)].map(([, name = ""]) => name));
    if (listed.length > 0) return listed;
    const isPackage = isInit(file.path);
    const names = [...file.lines.names];
    for (const { name, as, module: from } of importsIn(file)) {
      const target = name === undefined ? undefined : ownModule(module, isPackage, from);
      if (!target) continue;
      if (name !== "*") names.push(...(isPackage ? [as] : []));
      else names.push(...(await this.#exported(place, target, seen)));
    }
    return names;
  }

  /** Finds the declarations of `name` or `Class.member`. */
  async items(found: InstalledPackage, symbol: string, resolve: ResolvePackage): Promise<readonly PackageItem[]> {
    const { place, module } = await this.#start(found);
    const names = symbol.split(".");
    for (const prefersStubs of [false, true]) {
      const items = await this.#find(place, module, names, { resolve, prefersStubs, seen: new Set() });
      if (items.length > 0) return items;
    }
    const byName = await this.#searched(place, module, names, { resolve, prefersStubs: false, seen: new Set() });
    const note = `# Found by name only: no readable import of ${module.join(".")} leads here.`;
    return byName.map((item) => ({ ...item, text: `${note}\n${item.text}` }));
  }

  async #start(found: InstalledPackage): Promise<{ readonly place: ModuleRoot; readonly module: readonly string[] }> {
    const { folder, only, subpath } = found;
    const asked = subpath === "" ? [] : subpath.split(".");
    const roots = new Set([
      folder,
      ...(only?.slice(0, 1).map((path) => joined(folder, path.includes("/") ? parentOf(path) : "")) ?? []),
      joined(folder, "src"),
    ]);
    for (const root of roots) {
      const [top] = asked;
      if (top !== undefined && (await this.files.stamp(joined(root, top))) !== undefined)
        return { place: { found, root }, module: asked };
      if (top !== undefined && (await moduleFile(this.files, root, [top])) !== undefined)
        return { place: { found, root }, module: asked };
    }
    // If the question names no module, use the distribution's first module.
    const info = (await this.files.list(folder)).find(({ name }) => name.endsWith(".dist-info"));
    const read = info && only === undefined ? await readDistribution(this.files, folder, info.name) : undefined;
    const top = [...(read?.tops ?? [])].find((one) => !/^(?:_|tests?$)/.test(one));
    return { place: { found, root: folder }, module: top === undefined ? asked : [top] };
  }

  async #fileOf(
    { found, root }: ModuleRoot,
    module: readonly string[],
    prefersStubs: boolean,
  ): Promise<PythonFile | undefined> {
    const file = module.length === 0 ? undefined : await moduleFile(this.files, root, module, prefersStubs);
    const path = file && joined(root, file);
    // Resolve links, since they may lead out of the package.
    const real = path && (await this.files.realPath(path));
    const home = await this.files.realPath(root);
    if (path === undefined || real === undefined || home === undefined || insideOf(real, home) === undefined)
      return undefined;
    const text = await this.files.read(path);
    if (text === undefined) return undefined;
    return { path, text, lines: new DeclaringLines(insideOf(path, found.folder) ?? path, text, python) };
  }

  async #find(
    place: ModuleRoot,
    module: readonly string[],
    names: readonly string[],
    walk: Walk,
  ): Promise<readonly PackageItem[]> {
    const [name = "", ...rest] = names;
    const key = `${place.root}\0${module.join(".")}\0${names.join(".")}`;
    if (name === "" || walk.seen.has(key) || walk.seen.size >= maxSteps) return [];
    walk.seen.add(key);
    const file = await this.#fileOf(place, module, walk.prefersStubs);
    const lines = file?.lines;
    const declared = lines?.named(name) ?? [];
    if (lines && declared.length > 0) {
      const found =
        rest.length === 0
          ? declared.map((at) => lines.item(at))
          : await this.#members(place, module, lines, declared, rest, walk);
      if (found.length > 0) return found.slice(0, maxItems);
    }
    const isPackage = file === undefined || isInit(file.path);
    for (const one of file ? importsIn(file) : []) {
      if (one.as !== name && one.name !== "*") continue;
      const inner = one.name === "*" ? names : one.name === undefined ? rest : [one.name, ...rest];
      const found = await this.#imported(place, module, isPackage, one.module, inner, walk);
      if (found.length > 0) return found;
    }
    // A submodule can be imported from its package like any other name.
    const below = [...module, name];
    if (!isPackage || (await moduleFile(this.files, place.root, below)) === undefined) return [];
    if (rest.length > 0) return this.#find(place, below, rest, walk);
    const own = await this.#fileOf(place, below, walk.prefersStubs);
    if (!own) return [];
    return [{ file: own.lines.path, line: 1, text: own.text.slice(0, 1_500).trim() || "(an empty module)" }];
  }

  /** Finds a name in another module from which `module` imports it. */
  async #imported(
    place: ModuleRoot,
    module: readonly string[],
    isPackage: boolean,
    from: string,
    names: readonly string[],
    walk: Walk,
  ): Promise<readonly PackageItem[]> {
    const target = ownModule(module, isPackage, from);
    if (target) return this.#find(place, target, names, walk);
    if (walk.seen.size >= maxSteps) return [];
    const other = await walk.resolve(from, joined(place.root, `${module.join("/")}.py`));
    if (!other) return [];
    const next = await this.#start(other);
    const items = await this.#find(next.place, from.split("."), names, walk);
    const isSame = other.name === place.found.name;
    return isSame ? items : items.map((item) => ({ ...item, of: item.of ?? other }));
  }

  async #members(
    place: ModuleRoot,
    module: readonly string[],
    lines: DeclaringLines,
    declared: readonly number[],
    [name = "", ...rest]: readonly string[],
    walk: Walk,
  ): Promise<readonly PackageItem[]> {
    for (const at of declared) {
      const own = lines.members(at, name);
      if (own.length > 0 && rest.length === 0) return own.map((member) => lines.item(member));
      const inner = own.length > 0 ? await this.#members(place, module, lines, own, rest, walk) : [];
      if (inner.length > 0) return inner;
      for (const base of lines.bases(at)) {
        const found = await this.#find(place, module, [...base.split("."), name, ...rest], walk);
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  /** Searches all files of the package, since some modules create their names dynamically. */
  async #searched(
    place: ModuleRoot,
    module: readonly string[],
    names: readonly string[],
    walk: Walk,
  ): Promise<readonly PackageItem[]> {
    const [name = ""] = names;
    const form = new RegExp(`^(?:class|def|async def) ${name}\\b`, "m");
    const folders = module.length === 0 ? [] : [module];
    let left = maxSearched;
    for (const parts of folders) {
      for (const { name: entry, kind } of await this.files.list(joined(place.root, parts.join("/")))) {
        if (kind === "folder" && !/^(?:tests?|__pycache__|\..*)$/.test(entry)) folders.push([...parts, entry]);
        if (kind !== "file" || !/\.pyi?$/.test(entry) || left-- <= 0) continue;
        const text = await this.files.read(joined(place.root, [...parts, entry].join("/")));
        if (text === undefined || !form.test(text)) continue;
        const own = entry.replace(/\.pyi?$/, "");
        const found = await this.#find(place, own === "__init__" ? parts : [...parts, own], names, walk);
        if (found.length > 0) return found;
      }
    }
    return [];
  }
}

interface PythonImport {
  /** Absolute module name, or a relative one that starts with one dot per level. */
  readonly module: string;
  /** Imported name: undefined for the module itself, `*` for all its exports. */
  readonly name: string | undefined;
  /** Local name of the import. */
  readonly as: string;
}

function importsIn({ lines: { masked } }: PythonFile): readonly PythonImport[] {
  const text = masked.replace(/\\\n/g, " ");
  const form = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import\b[ \t]*(\([^)]{0,20000}\)|[^\n;]*)/gm;
  return [...text.matchAll(form)].flatMap(([, module, list = ""]) =>
    list.split(",").flatMap((one): PythonImport[] => {
      const [, name, as] = /([\w.]+|\*)(?:\s+as\s+(\w+))?/.exec(one) ?? [];
      if (name === undefined) return [];
      if (module !== undefined) return [{ module, name, as: as ?? name }];
      const [top = name] = name.split(".", 1);
      return [as === undefined ? { module: top, name: undefined, as: top } : { module: name, name: undefined, as }];
    }),
  );
}

/** Returns the imported module if it is in the same package; otherwise undefined. */
function ownModule(module: readonly string[], isPackage: boolean, from: string): readonly string[] | undefined {
  const dots = /^\.*/.exec(from)?.[0].length ?? 0;
  const rest = from
    .slice(dots)
    .split(".")
    .filter((part) => part !== "");
  if (dots === 0) return rest[0] === module[0] ? rest : undefined;
  const up = dots - (isPackage ? 1 : 0);
  return up > module.length ? undefined : [...module.slice(0, module.length - up), ...rest];
}

function isInit(path: string): boolean {
  return /\/__init__\.pyi?$/.test(path);
}
