import { joined, parentOf, insideOf, type PackageFiles } from "../../package-files.js";
import type { InstalledPackage, PackageItem } from "../../package-reader.js";
import { type FromModule, ModuleFile } from "./module-file.js";
import { declarationAt, typesEntry } from "./types-entry.js";

type ResolvePackage = (name: string, from: string) => Promise<InstalledPackage | undefined>;

/** A module in a package's file. */
interface Module {
  readonly file: string;
  readonly lines: ModuleFile;
  readonly of: InstalledPackage;
}

interface Declaration {
  readonly module: Module;
  /** Line of the declaration, as an index that starts at 0; undefined for the whole module. */
  readonly at: number | undefined;
}

/** Maximum number of followed re-exports and base classes; real chains are shorter. */
const maxSteps = 24;
const maxItems = 8;

/** Finds the declarations of a symbol: `name`, `name.member`, or `default` for the default export. */
export async function declaredItems(
  files: PackageFiles,
  found: InstalledPackage,
  symbol: string,
  resolve: ResolvePackage,
): Promise<readonly PackageItem[]> {
  const walk = new DeclarationWalk(files, resolve);
  const [first = "", ...members] = symbol.split(".");
  for (const [folder, of, subpath] of entriesOf(found)) {
    const module = await walk.entry(folder, of, subpath);
    if (!module) continue;
    let places: readonly Declaration[] = await walk.exported(module, first, maxSteps);
    for (const member of members) places = await walk.members(places, member, maxSteps);
    if (places.length === 0) places = await walk.deep(module, members.at(-1) ?? first);
    if (places.length > 0) return places.slice(0, maxItems).map((place) => toItem(place, found));
  }
  return [];
}

/** Returns the exported names of the imported module, sorted. */
export async function exportedNames(
  files: PackageFiles,
  found: InstalledPackage,
  resolve: ResolvePackage,
): Promise<readonly string[]> {
  const walk = new DeclarationWalk(files, resolve);
  for (const [folder, of, subpath] of entriesOf(found)) {
    const module = await walk.entry(folder, of, subpath);
    const names = module ? await walk.names(module, new Set(), maxSteps) : [];
    if (names.length > 0) return [...new Set(names)].sort();
  }
  return [];
}

/** Returns the entries to search: the types package's, if there is one, before the package's own. */
function entriesOf(found: InstalledPackage): readonly (readonly [string, InstalledPackage, string])[] {
  const { types, name, subpath } = found;
  if (!types) return [[found.folder, found, name === "@types/node" ? "" : subpath]];
  const typed: InstalledPackage = { ...found, name: types.name, version: types.version, folder: types.folder, why: [] };
  return [
    [types.folder, typed, subpath],
    [found.folder, found, subpath],
  ];
}

class DeclarationWalk {
  readonly #modules = new Map<string, Promise<ModuleFile | undefined>>();
  readonly #seen = new Set<string>();
  /** Inherited members by declaration and name. A lookup first stores an empty list, since base types may be circular. */
  readonly #inherited = new Map<string, readonly Declaration[]>();

  constructor(
    private readonly files: PackageFiles,
    private readonly resolve: ResolvePackage,
  ) {}

  async entry(folder: string, of: InstalledPackage, subpath: string): Promise<Module | undefined> {
    const file = await typesEntry(this.files, folder, subpath);
    return file === undefined ? undefined : this.#open(file, { ...of, folder });
  }

  /** Returns the declarations that a module exports under a name. */
  async exported(module: Module, name: string, steps: number): Promise<readonly Declaration[]> {
    const { lines } = module;
    const visit = `${module.file}\0${lines.text.length}\0${name}`;
    if (steps === 0 || this.#seen.has(visit)) return [];
    this.#seen.add(visit);
    const target = lines.exported.get(name);
    if (target !== undefined) {
      return typeof target === "string"
        ? this.#local(module, target, steps - 1)
        : this.#other(module, target, steps - 1);
    }
    const own = lines.exportedLines(name);
    if (own.length > 0) return own.map((at) => ({ module, at }));
    if (lines.exportEquals !== undefined) {
      const whole = await this.#local(module, lines.exportEquals, steps - 1);
      if (name === "default" || name === "export=") return whole;
      const inside = await this.members(whole, name, steps - 1);
      if (inside.length > 0) return inside;
    }
    if (!lines.isModule) {
      const global = lines.named(name);
      if (global.length > 0) return global.map((at) => ({ module, at }));
      const { subpath } = module.of;
      const ambient = subpath === "" ? [] : await this.#ambient(module, subpath, name, steps - 1);
      if (ambient.length > 0) return ambient;
    }
    for (const from of lines.stars) {
      const found = await this.#other(module, { from, name }, steps - 1);
      if (found.length > 0) return found;
    }
    for (const path of lines.references) {
      const other = await this.#open(joined(parentOf(module.file), path), module.of);
      const found = other ? await this.exported(other, name, steps - 1) : [];
      if (found.length > 0) return found;
    }
    return [];
  }

  async names(module: Module, seen: Set<string>, steps: number): Promise<string[]> {
    const { lines } = module;
    if (steps === 0 || seen.has(module.file)) return [];
    seen.add(module.file);
    const names = [...lines.exportedNames];
    if (lines.exportEquals !== undefined) {
      names.push("export=");
      for (const { module: of, at } of await this.#local(module, lines.exportEquals, steps - 1)) {
        if (at !== undefined && /\bnamespace\b/.test(of.lines.maskedFrom(at))) names.push(...of.lines.memberNames(at));
      }
    }
    if (!lines.isModule) {
      const blocks = lines.ambient(module.of.subpath);
      names.push(...lines.names, ...blocks.flatMap((block) => block.names));
    }
    for (const from of lines.stars) {
      const target = await this.#module(module, from);
      if (target) names.push(...(await this.names(target, seen, steps - 1)).filter((name) => name !== "default"));
    }
    return names;
  }

  /** Returns the members with this name, including those of base classes and interfaces. */
  async members(owners: readonly Declaration[], name: string, steps: number): Promise<readonly Declaration[]> {
    if (steps === 0) return [];
    const found = owners.flatMap(({ module, at: of }) =>
      of === undefined ? [] : module.lines.members(of, name).map((at) => ({ module, at })),
    );
    if (found.length > 0) return found;
    for (const { module, at } of owners) {
      if (at === undefined) continue;
      const visit = `${module.file}\0${at}\0${name}`;
      let inherited = this.#inherited.get(visit);
      if (!inherited) {
        this.#inherited.set(visit, []);
        inherited = await this.members(await this.#bases(module, at, steps - 1), name, steps - 1);
        this.#inherited.set(visit, inherited);
      }
      if (inherited.length > 0) return inherited;
    }
    return [];
  }

  /** Finds declarations with this name in the module and in all modules of the package that it re-exports or references. */
  async deep(module: Module, name: string): Promise<Declaration[]> {
    const found: Declaration[] = [];
    const paths = new Set([module.file]);
    for (const file of paths) {
      const one = await this.#open(file, module.of);
      if (!one || paths.size > 400) break;
      const { lines } = one;
      found.push(...lines.membersAnywhere(name).map((at) => ({ module: one, at })));
      if (found.length >= maxItems) break;
      const others = [...lines.exported.values()].flatMap((to) => (typeof to === "string" ? [] : to.from));
      const near = [...[...lines.stars, ...others].filter((path) => path.startsWith(".")), ...lines.references];
      for (const path of near) {
        const next = await declarationAt(this.files, joined(parentOf(file), path));
        if (next?.startsWith(`${module.of.folder}/`) === true) paths.add(next);
      }
    }
    return found;
  }

  async #local(module: Module, name: string, steps: number): Promise<readonly Declaration[]> {
    const [first = "", ...members] = name.split(".");
    const declared = module.lines.named(first).map((at) => ({ module, at }));
    const imported = module.lines.imported.get(first);
    let found: readonly Declaration[] =
      declared.length > 0 || !imported ? declared : await this.#other(module, imported, steps);
    for (const member of members) found = await this.members(found, member, steps);
    return found;
  }

  async #other(module: Module, { from, name }: FromModule, steps: number): Promise<readonly Declaration[]> {
    if (steps <= 0) return [];
    const target = await this.#module(module, from);
    if (!target) return this.#ambient(module, from, name, steps - 1);
    if (name !== "*") return this.exported(target, name, steps);
    const { exportEquals } = target.lines;
    if (exportEquals !== undefined) return this.#local(target, exportEquals, steps - 1);
    return [{ module: target, at: undefined }];
  }

  async #module(module: Module, from: string): Promise<Module | undefined> {
    if (from.startsWith(".")) {
      const file = await declarationAt(this.files, joined(parentOf(module.file), from));
      return file === undefined ? undefined : this.#open(file, module.of);
    }
    const other = await this.resolve(from, parentOf(module.file));
    if (!other) return undefined;
    for (const [folder, of, subpath] of entriesOf(other)) {
      const entry = await this.entry(folder, of, subpath);
      if (entry) return entry;
    }
    return undefined;
  }

  /** Handles `declare module "fs" { … }` in a file without exports, as in @types/node. */
  async #ambient(module: Module, from: string, name: string, steps: number): Promise<readonly Declaration[]> {
    if (steps <= 0) return [];
    const plain = from.replace(/^node:/, "");
    for (const file of [module.file, joined(module.of.folder, `${plain}.d.ts`)]) {
      const one = await this.#open(file, module.of);
      for (const lines of one?.lines.ambient(plain) ?? []) {
        const block: Module = { file, lines, of: module.of };
        const declared = lines.named(name);
        if (declared.length > 0) return declared.map((at) => ({ module: block, at }));
        const inner = await this.exported(block, name, steps - 1);
        if (inner.length > 0) return inner;
      }
    }
    return [];
  }

  async #bases(module: Module, at: number, steps: number): Promise<readonly Declaration[]> {
    const found: Declaration[] = [];
    for (const name of steps > 0 ? module.lines.bases(at) : []) found.push(...(await this.#local(module, name, steps)));
    return found.filter((one) => one.module.lines !== module.lines || one.at !== at);
  }

  /** Returns undefined if the file is missing or outside the package, since a package's texts and links may lead anywhere. */
  async #open(file: string, of: InstalledPackage): Promise<Module | undefined> {
    const key = `${of.folder}\0${file}`;
    const known = this.#modules.get(key) ?? this.#read(file, of.folder);
    this.#modules.set(key, known);
    const lines = await known;
    return lines && { file, lines, of };
  }

  async #read(file: string, folder: string): Promise<ModuleFile | undefined> {
    const [root, real] = await Promise.all([this.files.realPath(folder), this.files.realPath(file)]);
    if (root === undefined || real === undefined || insideOf(real, root) === undefined) return undefined;
    const text = await this.files.read(file);
    return text === undefined ? undefined : new ModuleFile(insideOf(file, folder) ?? file, text);
  }
}

function toItem({ module: { lines, of }, at }: Declaration, asked: InstalledPackage): PackageItem {
  // The beginning of a module's text represents the whole module.
  const item = at === undefined ? { file: lines.path, line: 1, text: lines.text.slice(0, 400) } : lines.item(at);
  return of.folder === asked.folder ? item : { ...item, of };
}
