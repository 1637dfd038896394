import type { SourceFolder } from "../services.js";
import { RustLines, type RustUse } from "./rust-lines.js";

export interface ItemTarget {
  readonly kind: "item";
  readonly name: string;
  readonly file: RustLines;
  /** Line of the item, as an index that starts at 0. */
  readonly at: number;
  /** The item that this item is a member of. */
  readonly owner?: ItemTarget;
}

export interface ModuleTarget {
  readonly kind: "module";
  /** Names from the crate root, excluding the root itself. */
  readonly path: readonly string[];
  readonly isPublic: boolean;
}

export type PathTarget =
  | ItemTarget
  | ModuleTarget
  /** Target in another crate: its name in code, and the path in it. */
  | { readonly kind: "external"; readonly crateName: string; readonly path: readonly string[] };

interface ImplBlock {
  readonly file: RustLines;
  readonly at: number;
  /** The text before the braces, on one line. */
  readonly header: string;
  /** The trait as written; undefined for inherent methods. */
  readonly trait: string | undefined;
}

/** Finds items of one crate by its file names, the modules in its files and its `use` declarations. */
export class CrateItems {
  readonly #texts = new Map<string, Promise<string | undefined>>();
  readonly #files = new Map<string, RustLines>();
  readonly #below: string;
  /** Results of lookups. A lookup in progress has only the declared items, since re-exports may be circular. */
  readonly #known = new Map<string, readonly PathTarget[]>();

  constructor(
    private readonly folder: SourceFolder,
    private readonly rootFile: string,
  ) {
    this.#below = rootFile.slice(0, rootFile.lastIndexOf("/") + 1);
  }

  /** Finds the targets of a path as another crate would write it, without the crate name. */
  async find(path: readonly string[]): Promise<readonly PathTarget[]> {
    const found = await this.#follow({ kind: "module", path: [], isPublic: true }, path, false);
    if (found.length > 0 || path.length !== 1) return distinct(found);
    const [name = ""] = path;
    const macros = (await this.named(name)).filter(({ file, at }) => file.kindOf(at) === "macro");
    return macros.length > 0 ? macros : this.#deriveMacros(name);
  }

  /** Returns all items of that name in the crate at any depth. Public items come first. */
  async named(name: string): Promise<readonly ItemTarget[]> {
    const found = (await this.#mentioning(name)).flatMap((file) => declared(file, name));
    const items = found.filter(({ file, at }) => !/^(?:mod|extern)/.test(file.kindOf(at)));
    return items.toSorted((a, b) => Number(b.file.isPublic(b.at)) - Number(a.file.isPublic(a.at)));
  }

  /** Returns the parts of files that belong to a module: the module's file, or the modules in files of its parents. */
  async scopesOf(
    path: readonly string[],
  ): Promise<readonly { readonly file: RustLines; readonly scope: readonly string[] }[]> {
    const scopes: { file: RustLines; scope: readonly string[] }[] = [];
    for (let count = path.length; count >= 0; count--) {
      const file = await this.#fileOf(path.slice(0, count));
      if (file) scopes.push({ file, scope: path.slice(count) });
    }
    return scopes;
  }

  /**
   * Finds `impl` blocks of types with that name. If the crate has several such types, returns only blocks in the type's file and below its
   * folder.
   */
  async implBlocks({ name, file: definedIn }: ItemTarget): Promise<readonly ImplBlock[]> {
    const files = await this.#mentioning(name);
    const blocks = files.flatMap((file) => blocksIn(file, name));
    const types = files.flatMap((file) => declared(file, name)).filter(({ file, at }) => isType(file.kindOf(at)));
    if (types.length <= 1) return blocks;
    const below = `${definedIn.path.replace(/(?:\/mod)?\.rs$/, "")}/`;
    return blocks.filter(({ file }) => file === definedIn || file.path.startsWith(below));
  }

  async #follow(from: PathTarget, path: readonly string[], isInside: boolean): Promise<PathTarget[]> {
    const [name, ...rest] = path;
    if (name === undefined) return [from];
    if (from.kind === "external") return [{ ...from, path: [...from.path, ...path] }];
    const next =
      from.kind === "module" ? await this.#lookup(from.path, name, isInside) : await this.#members(from, name);
    const found: PathTarget[] = [];
    for (const target of next) found.push(...(await this.#follow(target, rest, isInside)));
    return found;
  }

  /** Looks up `name` in a module. Private names match only for the module's own `use` declarations. */
  async #lookup(module: readonly string[], name: string, isInside: boolean): Promise<readonly PathTarget[]> {
    const key = `${module.join("::")} ${name} ${isInside}`;
    const known = this.#known.get(key);
    if (known) return known;
    const found: PathTarget[] = [];
    const scopes = await this.scopesOf(module);
    for (const { file, scope } of scopes) {
      for (const item of declared(file, name)) {
        if (!isSame(file.scopeOf(item.at), scope)) continue;
        const kind = file.kindOf(item.at);
        const isPublic = file.isPublic(item.at);
        if (kind.startsWith("extern")) found.push({ kind: "external", crateName: name, path: [] });
        else if (kind === "mod") found.push({ kind: "module", path: [...module, name], isPublic });
        else found.push(item);
      }
    }
    this.#known.set(key, found);
    const uses = scopes.flatMap(({ file, scope }) => file.uses.filter((use) => isSame(use.scope, scope)));
    const all = distinct([...found, ...(await this.#used(module, uses, name, isInside))]);
    const visible = isInside ? all : withoutPrivateModules(all);
    this.#known.set(key, visible);
    return visible;
  }

  async #used(
    module: readonly string[],
    uses: readonly RustUse[],
    name: string,
    isInside: boolean,
  ): Promise<readonly PathTarget[]> {
    const named: PathTarget[] = [];
    const globs: PathTarget[] = [];
    for (const leaf of uses) {
      if (!leaf.isPublic && !isInside) continue;
      if (leaf.name === name) named.push(...withoutPrivateModules(await this.#resolve(module, leaf.path)));
      else if (leaf.name === "*" && leaf.isPublic) {
        for (const target of await this.#resolve(module, leaf.path)) {
          // The other crate's names are unknown, so it must remain the last resort.
          if (target.kind !== "external") globs.push(...(await this.#follow(target, [name], false)));
        }
      }
    }
    return named.length > 0 ? named : globs;
  }

  /** Resolves the path of a `use` declaration in a module. */
  async #resolve(module: readonly string[], path: readonly string[]): Promise<PathTarget[]> {
    const [first = "", ...rest] = path;
    const at = (of: readonly string[]): PathTarget => ({ kind: "module", path: of, isPublic: true });
    if (first === "crate" || first === "$crate") return this.#follow(at([]), rest, true);
    if (first === "self") return this.#follow(at(module), rest, true);
    if (first === "super") return this.#resolve(module.slice(0, -1), rest[0] === "super" ? rest : ["self", ...rest]);
    const local = first === "" ? [] : await this.#follow(at(module), path, true);
    const [crateName = "", ...inner] = first === "" ? rest : path;
    return local.length > 0 ? local : [{ kind: "external", crateName, path: inner }];
  }

  /** Finds variants, fields and trait items of that name, and methods in `impl` blocks. */
  async #members(owner: ItemTarget, name: string): Promise<PathTarget[]> {
    if (!isType(owner.file.kindOf(owner.at))) return [];
    const blocks = [owner, ...(await this.implBlocks(owner))];
    return blocks.flatMap(({ file, at: of }) =>
      file.members(of, name).map((at): ItemTarget => ({ kind: "item", name, file, at, owner })),
    );
  }

  async #deriveMacros(name: string): Promise<readonly PathTarget[]> {
    const root = await this.#fileOf([]);
    const form = new RegExp(String.raw`#\[proc_macro_derive\(\s*${name}\s*[,)]`);
    return (root?.matching(form) ?? []).flatMap(({ at }) => {
      const fn = root?.matching(/\bfn\s+(\w+)/, at)[0];
      return root && fn ? [{ kind: "item", name: fn.name, file: root, at: fn.at } as const] : [];
    });
  }

  async #fileOf(module: readonly string[]): Promise<RustLines | undefined> {
    const place = this.#below + module.join("/");
    const names = module.length === 0 ? [this.rootFile] : [`${place}.rs`, `${place}/mod.rs`];
    for (const name of names) {
      const file = await this.#read(name, module);
      if (file) return file;
    }
    return undefined;
  }

  async #mentioning(name: string): Promise<readonly RustLines[]> {
    const paths = (await this.folder.paths()).filter((path) => path.endsWith(".rs") && path.startsWith(this.#below));
    const files = paths.map((path) => {
      const inside = path.slice(this.#below.length).replace(/(?:(?:^|\/)mod)?\.rs$/, "");
      return this.#read(path, path === this.rootFile ? [] : inside.split("/"), name);
    });
    return (await Promise.all(files)).filter((file) => file !== undefined);
  }

  /** Returns undefined if the file can't be read or doesn't contain `name`. */
  async #read(path: string, module: readonly string[], name = ""): Promise<RustLines | undefined> {
    const reading = this.#texts.get(path) ?? this.folder.read(path);
    this.#texts.set(path, reading);
    const text = await reading;
    if (text?.includes(name) !== true) return undefined;
    const file = this.#files.get(path) ?? new RustLines(path, text, module);
    this.#files.set(path, file);
    return file;
  }
}

/** Returns the items of that name in a file, with any indentation. */
function declared(file: RustLines, name: string): readonly ItemTarget[] {
  return file.declaringLines(name).map((at) => ({ kind: "item", name, file, at }));
}

function isType(kind: string): boolean {
  return /^(?:struct|enum|union|trait|type)$/.test(kind);
}

function blocksIn(file: RustLines, name: string): readonly ImplBlock[] {
  return file.matching(/^\s*(?:unsafe\s+|default\s+)*(impl)\b/).flatMap(({ at }): readonly ImplBlock[] => {
    const header = /^[^{]*/.exec(file.maskedFrom(at, 40))?.[0].replace(/\s+/g, " ").replace(/,? ?$/, "") ?? "";
    const [, trait, type] = /\bimpl\s+(?:(.+?) for )?(.+?)(?: where .*)?$/.exec(withoutGenerics(header)) ?? [];
    const path = /^(?:[&*()\s]|'\w+\s|mut\s|const\s|dyn\s)*([\w:$]+)/.exec(type ?? "")?.[1];
    return path?.split("::").at(-1) === name ? [{ file, at, header, trait }] : [];
  });
}

function withoutGenerics(header: string): string {
  let text = header.replace(/[-=]>/g, "  ").replace(/\bimpl</, "impl <");
  for (let before = ""; before !== text;) [before, text] = [text, text.replace(/<[^<>]*>/g, "")];
  return text.replace(/\s+/g, " ").trim();
}

function isSame(left: readonly string[] | undefined, right: readonly string[]): boolean {
  return left?.join("::") === right.join("::");
}

/** Removes duplicates, since several re-exports may lead to the same place. */
function distinct(targets: readonly PathTarget[]): PathTarget[] {
  return [...new Map(targets.map((target) => [keyOf(target), target])).values()];
}

function keyOf(target: PathTarget): string {
  if (target.kind === "item") return `${target.file.path}:${target.at}`;
  return `${target.kind} ${target.kind === "module" ? "" : target.crateName}::${target.path.join("::")}`;
}

/** A re-export can't include a private module, so prefers other items of that name, for example a function. */
function withoutPrivateModules(targets: readonly PathTarget[]): PathTarget[] {
  const others = targets.filter((target) => target.kind !== "module" || target.isPublic);
  return others.length > 0 ? others : [...targets];
}
