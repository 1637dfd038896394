import { joined, parentOf, insideOf, type PackageFiles } from "../../package-files.js";
import type { InstalledPackage, PackageItem } from "../../package-reader.js";
import { isModule, type FromModule, type ModuleFacts, readModule } from "./module-facts.js";
import { bodyOf, membersIn, type Statement, withDocs } from "./statements.js";
import { declarationAt, typesEntry } from "./types-entry.js";

type ResolvePackage = (name: string, from: string) => Promise<InstalledPackage | undefined>;

/** A module in a package's file. */
interface Module {
  readonly file: string;
  readonly facts: ModuleFacts;
  readonly of: InstalledPackage;
}

interface Declaration {
  readonly module: Module;
  readonly statement: Statement;
}

/** Maximum number of followed re-exports and base classes; real chains are shorter. */
const maxSteps = 24;
const maxItems = 8;
const maxText = 6_000;

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
    if (places.length > 0) return places.slice(0, maxItems).map((place) => toItem(place, found));
    const deep = await walk.deep(module, members.at(-1) ?? first);
    if (deep.length > 0) return deep.slice(0, maxItems).map((place) => toItem(place, found));
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
  readonly #modules = new Map<string, Promise<ModuleFacts | undefined>>();
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
    const visit = `${module.file}\0${module.facts.declared.size}\0${name}`;
    if (steps === 0 || this.#seen.has(visit)) return [];
    this.#seen.add(visit);
    const { facts } = module;
    const target = facts.exported.get(name);
    if (target !== undefined) {
      return typeof target === "string"
        ? this.#local(module, target, steps - 1)
        : this.#other(module, target, steps - 1);
    }
    if (facts.exportEquals !== undefined) {
      if (name === "default" || name === "export=") return this.#local(module, facts.exportEquals, steps - 1);
      const whole = await this.#local(module, facts.exportEquals, steps - 1);
      const inside = await this.members(whole, name, steps - 1);
      if (inside.length > 0) return inside;
    }
    if (!isModule(facts)) {
      const own = facts.declared.get(name) ?? [];
      if (own.length > 0) return own.map((statement) => ({ module, statement }));
      const ambient = await this.#ambient(module, name, steps - 1);
      if (ambient.length > 0) return ambient;
    }
    for (const from of facts.stars) {
      const found = await this.#other(module, { from, name }, steps - 1);
      if (found.length > 0) return found;
    }
    for (const path of facts.references) {
      const file = joined(parentOf(module.file), path);
      const other = await this.#open(file, module.of);
      const found = other ? await this.exported(other, name, steps - 1) : [];
      if (found.length > 0) return found;
    }
    return [];
  }

  async names(module: Module, seen: Set<string>, steps: number): Promise<string[]> {
    const { facts } = module;
    if (steps === 0 || seen.has(module.file)) return [];
    seen.add(module.file);
    const names = [...facts.exported.keys()];
    if (facts.exportEquals !== undefined) {
      names.push("export=");
      for (const { module: of, statement } of await this.#local(module, facts.exportEquals, steps - 1)) {
        const body = bodyOf(of.facts.masked, statement);
        if (!body || !/\bnamespace\b/.test(of.facts.masked.slice(statement.start, body.from))) continue;
        names.push(...readModule(of.facts.text, of.facts.masked, body.from, body.to).declared.keys());
      }
    }
    const { subpath } = module.of;
    if (!isModule(facts)) {
      const blocks = (facts.ambient.get(subpath) ?? []).map(({ from, to }) =>
        readModule(facts.text, facts.masked, from, to),
      );
      names.push(...[facts, ...blocks].flatMap(({ declared }) => [...declared.keys()]));
    }
    for (const from of facts.stars) {
      const target = await this.#module(module, from);
      if (target) names.push(...(await this.names(target, seen, steps - 1)).filter((name) => name !== "default"));
    }
    return names;
  }

  /** Returns the members with this name, including those of base classes and interfaces. */
  async members(owners: readonly Declaration[], name: string, steps: number): Promise<readonly Declaration[]> {
    if (steps === 0) return [];
    const found: Declaration[] = [];
    for (const { module, statement } of owners) {
      const { facts } = module;
      const head = facts.masked.slice(statement.start, statement.end);
      const body = bodyOf(facts.masked, statement);
      if (body && /^(?:export\s+)?(?:declare\s+)?(?:namespace|module)\b/.test(head)) {
        const inner = readModule(facts.text, facts.masked, body.from, body.to);
        const declared = inner.declared.get(name) ?? [];
        found.push(...declared.map((one) => ({ module, statement: one })));
      } else if (body) {
        const form = memberForm(name);
        const members = membersIn(facts.masked, body.from, body.to);
        const own = members.filter(({ start, end }) => form.test(facts.text.slice(start, end)));
        found.push(...own.map((one) => ({ module, statement: one })));
      }
    }
    if (found.length > 0) return found;
    for (const { module, statement } of owners) {
      const visit = `${module.file}\0${statement.start}\0${name}`;
      let inherited = this.#inherited.get(visit);
      if (!inherited) {
        this.#inherited.set(visit, []);
        inherited = await this.members(await this.#bases(module, statement, steps - 1), name, steps - 1);
        this.#inherited.set(visit, inherited);
      }
      if (inherited.length > 0) return inherited;
    }
    return [];
  }

  /** Finds declarations and members with this name in the module and in all modules of the package that it re-exports or references. */
  async deep(module: Module, name: string): Promise<Declaration[]> {
    const found: Declaration[] = [];
    const paths = new Set([module.file]);
    for (const file of paths) {
      const one = await this.#open(file, module.of);
      if (!one || paths.size > 400) break;
      const { facts } = one;
      found.push(...(facts.declared.get(name) ?? []).map((statement) => ({ module: one, statement })));
      if (facts.masked.includes(name)) found.push(...deepMembers(one, name));
      if (found.length >= maxItems) break;
      const from = [
        ...facts.stars,
        ...[...facts.exported.values()].flatMap((to) => (typeof to === "string" ? [] : to.from)),
      ];
      const near = [...from.filter((path) => path.startsWith(".")), ...facts.references];
      for (const path of near) {
        const next = await declarationAt(this.files, joined(parentOf(file), path));
        if (next?.startsWith(`${module.of.folder}/`) === true) paths.add(next);
      }
    }
    return found;
  }

  async #local(module: Module, name: string, steps: number): Promise<readonly Declaration[]> {
    const [first = "", ...members] = name.split(".");
    const declared = (module.facts.declared.get(first) ?? []).map((statement) => ({ module, statement }));
    const imported = module.facts.imported.get(first);
    let found: readonly Declaration[] =
      declared.length > 0 || !imported ? declared : await this.#other(module, imported, steps);
    for (const member of members) found = await this.members(found, member, steps);
    return found;
  }

  async #other(module: Module, { from, name }: FromModule, steps: number): Promise<readonly Declaration[]> {
    if (steps <= 0) return [];
    const target = await this.#module(module, from);
    if (!target) return this.#ambientNamed(module, from, name, steps - 1);
    if (name !== "*") return this.exported(target, name, steps);
    const { exportEquals } = target.facts;
    if (exportEquals !== undefined) return this.#local(target, exportEquals, steps - 1);
    // Use the beginning of the module's text to represent the whole module.
    return [{ module: target, statement: { start: 0, end: Math.min(target.facts.text.length, 400) } }];
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
  async #ambient(module: Module, name: string, steps: number): Promise<readonly Declaration[]> {
    const { subpath } = module.of;
    return subpath === "" ? [] : this.#ambientNamed(module, subpath, name, steps);
  }

  async #ambientNamed(module: Module, from: string, name: string, steps: number): Promise<readonly Declaration[]> {
    if (steps <= 0) return [];
    const plain = from.replace(/^node:/, "");
    const near = [module.file, joined(module.of.folder, `${plain}.d.ts`)];
    for (const file of near) {
      const one = await this.#open(file, module.of);
      const blocks = one?.facts.ambient.get(plain) ?? one?.facts.ambient.get(`node:${plain}`) ?? [];
      for (const { from: start, to } of blocks) {
        if (!one) continue;
        const facts = readModule(one.facts.text, one.facts.masked, start, to);
        const declared = facts.declared.get(name);
        if (declared) return declared.map((statement) => ({ module: { ...one, facts }, statement }));
        const inner = await this.exported({ ...one, facts }, name, steps - 1);
        if (inner.length > 0) return inner;
      }
    }
    return [];
  }

  async #bases(module: Module, { start, end }: Statement, steps: number): Promise<readonly Declaration[]> {
    const head = module.facts.masked.slice(start, end).split("{")[0] ?? "";
    const words = /\bextends\s+([^{]+)$/.exec(head)?.[1]?.replace(/\bimplements\b/, ",") ?? "";
    const typed = /^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+[\w$]+\s*:\s*([\w$.]+)/.exec(head)?.[1];
    const names = [...words.replace(/<[^>]*>?/g, "").split(","), typed ?? ""].map((one) => one.trim());
    const found: Declaration[] = [];
    for (const name of new Set(names)) {
      if (/^[\w$.]+$/.test(name) && steps > 0) found.push(...(await this.#local(module, name, steps)));
    }
    return found;
  }

  /** Returns undefined if the file is missing or outside the package, since a package's texts and links may lead anywhere. */
  async #open(file: string, of: InstalledPackage): Promise<Module | undefined> {
    const key = `${of.folder}\0${file}`;
    const known = this.#modules.get(key) ?? this.#read(file, of.folder);
    this.#modules.set(key, known);
    const facts = await known;
    return facts && { file, facts, of };
  }

  async #read(file: string, folder: string): Promise<ModuleFacts | undefined> {
    const [root, real] = await Promise.all([this.files.realPath(folder), this.files.realPath(file)]);
    if (root === undefined || real === undefined || insideOf(real, root) === undefined) return undefined;
    const text = await this.files.read(file);
    return text === undefined ? undefined : readModule(text);
  }
}

function memberForm(name: string): RegExp {
  const plain = name.replace(/[$\\]/g, String.raw`\$&`);
  return new RegExp(
    String.raw`^(?:(?:public|static|readonly|abstract|declare|protected|async|override|get|set)\s+)*["']?${plain}["']?\s*[?!]?\s*[(:<;=,]`,
  );
}

/** Returns matching members of interfaces and classes in the module's blocks. */
function deepMembers(module: Module, name: string): Declaration[] {
  const { facts } = module;
  const found: Declaration[] = [];
  const look = (of: ModuleFacts): void => {
    for (const statement of [...of.declared.values()].flat()) {
      const head = of.masked.slice(statement.start, statement.start + 300);
      const body = bodyOf(of.masked, statement);
      if (!body || !/\b(?:class|interface|namespace)\b/.test(head)) continue;
      if (/\bnamespace\b/.test(head)) {
        const inner = readModule(of.text, of.masked, body.from, body.to);
        found.push(...(inner.declared.get(name) ?? []).map((one) => ({ module, statement: one })));
        look(inner);
        continue;
      }
      const form = memberForm(name);
      for (const one of membersIn(of.masked, body.from, body.to)) {
        if (form.test(of.text.slice(one.start, one.end))) found.push({ module, statement: one });
      }
    }
  };
  look(facts);
  for (const blocks of facts.ambient.values()) {
    for (const { from, to } of blocks) look(readModule(facts.text, facts.masked, from, to));
  }
  return found;
}

function toItem({ module, statement }: Declaration, asked: InstalledPackage): PackageItem {
  const { text } = module.facts;
  const start = withDocs(text, statement.start);
  const line = text.slice(0, statement.start).split("\n").length;
  const isOther = module.of.folder !== asked.folder;
  return {
    file: insideOf(module.file, module.of.folder) ?? module.file,
    line,
    text: cutText(text.slice(start, statement.end).replace(/\r/g, "")),
    ...(isOther && { of: module.of }),
  };
}

function cutText(text: string): string {
  if (text.length <= maxText) return text;
  const lines = text.split("\n");
  let length = 0;
  const shown = lines.findIndex((line) => (length += line.length + 1) > maxText);
  const kept = Math.max(shown, 1);
  return `${lines.slice(0, kept).join("\n").slice(0, maxText)}\n… ${lines.length - kept} more lines`;
}
