import { insideOf, joined, type PackageFiles, parentOf } from "../package-files.js";
import type { InstalledPackage, PackageItem } from "../package-reader.js";
import { readDistribution } from "./distribution.js";
import { type PythonDeclaration, PythonModule } from "./python-module.js";
import { moduleFile } from "./site-packages.js";

type ResolvePackage = (module: string, from: string) => Promise<InstalledPackage | undefined>;

interface Place {
  readonly found: InstalledPackage;
  /** Folder in which the first part of the module's dotted name is found. */
  readonly root: string;
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

  async #exported(place: Place, module: readonly string[], seen: Set<string>): Promise<readonly string[]> {
    const key = module.join(".");
    const file = seen.has(key) || seen.size >= maxSteps ? undefined : await this.#fileOf(place, module, false);
    seen.add(key);
    if (!file) return [];
    const { exported, declarations, imports } = file.module;
    if (exported && exported.size > 0) return [...exported];
    const isPackage = isInit(file.path);
    const names = declarations.map(({ name }) => name);
    for (const { name, as, module: from } of imports) {
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

  async #start(found: InstalledPackage): Promise<{ readonly place: Place; readonly module: readonly string[] }> {
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

  async #fileOf({ root }: Place, module: readonly string[], prefersStubs: boolean) {
    const file = module.length === 0 ? undefined : await moduleFile(this.files, root, module, prefersStubs);
    const path = file && joined(root, file);
    // Resolve links, since they may lead out of the package.
    const real = path && (await this.files.realPath(path));
    const home = await this.files.realPath(root);
    if (path === undefined || real === undefined || home === undefined || insideOf(real, home) === undefined)
      return undefined;
    const text = await this.files.read(path);
    return text === undefined ? undefined : { path, module: new PythonModule(text) };
  }

  async #find(
    place: Place,
    module: readonly string[],
    names: readonly string[],
    walk: Walk,
  ): Promise<readonly PackageItem[]> {
    const [name = "", ...rest] = names;
    const key = `${place.root}\0${module.join(".")}\0${names.join(".")}`;
    if (name === "" || walk.seen.has(key) || walk.seen.size >= maxSteps) return [];
    walk.seen.add(key);
    const file = await this.#fileOf(place, module, walk.prefersStubs);
    const declared = file?.module.declarations.filter((one) => one.name === name) ?? [];
    if (file && declared.length > 0) {
      const found =
        rest.length === 0
          ? declared.map((one) => this.#item(place, file, one))
          : await this.#members(place, module, file, declared, rest, walk);
      if (found.length > 0) return found.slice(0, maxItems);
    }
    const isPackage = file === undefined || isInit(file.path);
    for (const one of file?.module.imports ?? []) {
      if (one.as !== name && one.name !== "*") continue;
      const inner = one.name === "*" ? names : one.name === undefined ? rest : [one.name, ...rest];
      const found = await this.#imported(place, module, isPackage, one.module, inner, walk);
      if (found.length > 0) return found;
    }
    // A submodule can be imported from its package like any other name.
    const below = [...module, name];
    if (isPackage && (await moduleFile(this.files, place.root, below)) !== undefined) {
      if (rest.length > 0) return this.#find(place, below, rest, walk);
      const own = await this.#fileOf(place, below, walk.prefersStubs);
      const text =
        own &&
        (own.module.text
          .slice(0, own.module.declarations[0]?.start ?? 1_500)
          .trim()
          .slice(0, 1_500) ||
          "(an empty module)");
      return own && text !== undefined ? [{ ...this.#where(place, own.path), line: 1, text }] : [];
    }
    return [];
  }

  /** Finds a name in another module from which `module` imports it. */
  async #imported(
    place: Place,
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
    place: Place,
    module: readonly string[],
    file: { readonly path: string; readonly module: PythonModule },
    declared: readonly PythonDeclaration[],
    [name = "", ...rest]: readonly string[],
    walk: Walk,
  ): Promise<readonly PackageItem[]> {
    for (const one of declared.filter(({ kind }) => kind === "class")) {
      const own = file.module.members(one).filter((member) => member.name === name);
      if (own.length > 0 && rest.length === 0) return own.map((member) => this.#item(place, file, member));
      if (own.length > 0) {
        const found = await this.#members(place, module, file, own, rest, walk);
        if (found.length > 0) return found;
      }
      for (const base of basesOf(one.head)) {
        const found = await this.#find(place, module, [...base.split("."), name, ...rest], walk);
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  /** Searches all files of the package, since some modules create their names dynamically. */
  async #searched(
    place: Place,
    module: readonly string[],
    names: readonly string[],
    walk: Walk,
  ): Promise<readonly PackageItem[]> {
    const [name = ""] = names;
    const declares = new RegExp(`^(?:class|def|async def) ${name}\\b`, "m");
    let left = maxSearched;
    const visit = async (parts: readonly string[]): Promise<readonly PackageItem[]> => {
      const entries = await this.files.list(joined(place.root, parts.join("/")));
      for (const { name: entry, kind } of entries) {
        if (kind !== "file" || !/\.pyi?$/.test(entry) || left-- <= 0) continue;
        const text = await this.files.read(joined(place.root, [...parts, entry].join("/")));
        if (text === undefined || !declares.test(text)) continue;
        const own = entry.replace(/\.pyi?$/, "");
        const found = await this.#find(place, own === "__init__" ? parts : [...parts, own], names, walk);
        if (found.length > 0) return found;
      }
      for (const { name: entry, kind } of entries) {
        if (kind !== "folder" || left <= 0 || /^(?:tests?|__pycache__|\..*)$/.test(entry)) continue;
        const found = await visit([...parts, entry]);
        if (found.length > 0) return found;
      }
      return [];
    };
    return module.length === 0 ? [] : visit(module);
  }

  #item(
    place: Place,
    file: { readonly path: string; readonly module: PythonModule },
    one: PythonDeclaration,
  ): PackageItem {
    return { ...this.#where(place, file.path), line: one.line, text: declarationText(file.module, one) };
  }

  #where({ found }: Place, path: string): Pick<PackageItem, "file" | "of"> {
    return { file: insideOf(path, found.folder) ?? path };
  }
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

/** Returns a class's base names, without type arguments and keyword arguments. */
function basesOf(head: string): readonly string[] {
  const inside = /^(?:\[[^\]]*\])?\s*\(([\s\S]*)\)/.exec(head)?.[1] ?? "";
  let depth = 0;
  let plain = "";
  for (const character of inside) {
    if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (depth === 0) plain += character;
  }
  return plain
    .split(",")
    .map((one) => one.trim())
    .filter((one) => /^[\w.]+$/.test(one))
    .slice(0, 12);
}

const maxText = 6_000;
/** Maximum lines of a displayed function body; longer bodies are omitted. */
const maxBodyLines = 30;

/** Formats a declaration. Shows short functions completely, and classes with one line per member. */
function declarationText(module: PythonModule, one: PythonDeclaration): string {
  const { text } = module;
  const whole = text.slice(one.start, one.end).trimEnd();
  if (one.kind === "assignment") return bounded(whole);
  const head = text.slice(one.start, one.bodyStart).trimEnd();
  if (one.kind === "def") {
    const lines = whole.slice(head.length).split("\n").length;
    return bounded(lines <= maxBodyLines ? whole : `${head}\n    … ${lines - 1} lines`);
  }
  const members = module.members(one).filter(({ name }) => !/^_(?!_init__$)/.test(name));
  const lines = members.map((member) => {
    const end = member.kind === "assignment" ? member.end : headEnd(text, member);
    return text.slice(member.start, end).trimEnd().slice(0, 400);
  });
  return bounded([head, ...lines].join("\n"));
}

/** Returns the offset after the colon that ends a declaration's head, before the documentation. */
function headEnd(text: string, { start, bodyStart }: PythonDeclaration): number {
  // The head's length is limited, since the search takes quadratic time and real heads are shorter.
  const head = text.slice(start, Math.min(bodyStart, start + maxText));
  const docs = head.search(/:[ \t]*(?:#[^\n]*)?\n\s*[rRuUbB]?(?:"""|'''|"|')/);
  return docs < 0 ? bodyStart : start + docs + 1;
}

function bounded(text: string): string {
  return text.length <= maxText
    ? text
    : `${text.slice(0, maxText)}\n… ${text.length - maxText} more characters: read the file`;
}
