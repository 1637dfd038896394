import type { CrateModules, RustModule } from "./crate-modules.js";
import { type RustFile, type RustItem, scanItems, scanMembers } from "./rust-item.js";

export type PathTarget =
  | { readonly kind: "module"; readonly module: RustModule; readonly isPublic: boolean }
  | { readonly kind: "item"; readonly item: RustItem; readonly module: RustModule; readonly owner?: RustItem }
  /** Target in another crate: its name in code, and the path in it. */
  | { readonly kind: "external"; readonly crateName: string; readonly path: readonly string[] };

const typeKinds = new Set(["struct", "enum", "union", "trait"]);

/** Resolves paths through a crate's modules and `pub use` re-exports. Finds all variants of items behind different `cfg`s. */
export class PathWalk {
  /** Lookups in progress, since re-exports may be circular. */
  readonly #open = new Set<string>();

  constructor(private readonly modules: CrateModules) {}

  /** Finds the targets of a path as another crate would write it, without the crate name. */
  async find(path: readonly string[]): Promise<PathTarget[]> {
    const root = await this.modules.root();
    return root ? distinct(await this.#follow({ kind: "module", module: root, isPublic: true }, path, false)) : [];
  }

  async #follow(from: PathTarget, path: readonly string[], isInside: boolean): Promise<PathTarget[]> {
    const [name, ...rest] = path;
    if (name === undefined) return [from];
    if (from.kind === "external") return [{ ...from, path: [...from.path, ...path] }];
    const next = from.kind === "module" ? await this.#lookup(from.module, name, isInside) : membersNamed(from, name);
    const found: PathTarget[] = [];
    for (const target of next) found.push(...(await this.#follow(target, rest, isInside)));
    return found;
  }

  /** Looks up `name` in a module. Private names match only for the module's own `use` declarations. */
  async #lookup(module: RustModule, name: string, isInside: boolean): Promise<PathTarget[]> {
    const key = `${module.file.path} ${module.from} ${name} ${isInside}`;
    const found: PathTarget[] = [];
    const parts = await this.modules.parts(module);
    for (const part of parts) found.push(...(await this.#declared(part, name)));
    // A circular lookup, as in `pub use spawn::spawn`; only a declared item can match.
    if (this.#open.has(key)) return found;
    this.#open.add(key);
    try {
      for (const part of parts) found.push(...(await this.#used(part, name, isInside)));
      return distinct(isInside ? found : withoutPrivateModules(found));
    } finally {
      this.#open.delete(key);
    }
  }

  async #declared(module: RustModule, name: string): Promise<PathTarget[]> {
    const found: PathTarget[] = [];
    for (const item of this.modules.items(module)) {
      if (item.name !== name) continue;
      if (item.kind === "extern crate") found.push({ kind: "external", crateName: name, path: [] });
      else if (item.kind !== "mod") found.push({ kind: "item", item, module });
      else {
        const child = await this.modules.child(module, item);
        if (child) found.push({ kind: "module", module: child, isPublic: item.isPublic });
      }
    }
    return found;
  }

  async #used(module: RustModule, name: string, isInside: boolean): Promise<PathTarget[]> {
    const named: PathTarget[] = [];
    const globs: PathTarget[] = [];
    for (const item of this.modules.items(module)) {
      if (item.kind !== "use" || !(item.isPublic || isInside)) continue;
      for (const leaf of parseUse(module.file.masked.slice(item.head, item.end))) {
        if (leaf.name === name) named.push(...withoutPrivateModules(await this.#resolve(module, leaf.path)));
        else if (leaf.name === "*" && item.isPublic) {
          const targets = await this.#resolve(module, leaf.path);
          for (const target of targets) {
            // The other crate's names are unknown, so it must remain the last resort.
            if (target.kind !== "external") globs.push(...(await this.#follow(target, [name], false)));
          }
        }
      }
    }
    return named.length > 0 ? named : globs;
  }

  /** Resolves the path of a `use` declaration in `module`. */
  async #resolve(module: RustModule, path: readonly string[]): Promise<PathTarget[]> {
    const [first = "", ...rest] = path;
    const own: PathTarget = { kind: "module", module, isPublic: true };
    if (first === "crate" || first === "$crate") return this.#follow(this.#rootOf(module), rest, true);
    if (first === "self") return this.#follow(own, rest, true);
    if (first === "super") {
      return module.parent ? this.#resolve(module.parent, rest[0] === "super" ? rest : ["self", ...rest]) : [];
    }
    if (first !== "") {
      const local = await this.#follow(own, path, true);
      if (local.length > 0) return local;
    }
    const [crateName = "", ...inner] = first === "" ? rest : path;
    return [{ kind: "external", crateName, path: inner }];
  }

  #rootOf(module: RustModule): PathTarget {
    let root = module;
    while (root.parent) root = root.parent;
    return { kind: "module", module: root, isPublic: true };
  }
}

/** Removes duplicates, since several re-exports may lead to the same place. */
function distinct(targets: readonly PathTarget[]): PathTarget[] {
  return [...new Map(targets.map((target) => [placeOf(target), target])).values()];
}

function placeOf(target: PathTarget): string {
  if (target.kind === "external") return [target.crateName, ...target.path].join("::");
  const { file, from } = target.module;
  return `${target.kind} ${file.path} ${target.kind === "item" ? target.item.head : from}`;
}

/** A re-export can't include a private module, so prefers other items of that name, for example a function. */
function withoutPrivateModules(targets: readonly PathTarget[]): PathTarget[] {
  const others = targets.filter((target) => target.kind !== "module" || target.isPublic);
  return others.length > 0 ? others : [...targets];
}

/** Finds variants, fields and trait items of that name, but not methods of `impl` blocks. */
function membersNamed(target: Extract<PathTarget, { kind: "item" }>, name: string): PathTarget[] {
  const { item, module } = target;
  return membersOf(module.file, item)
    .filter((member) => member.name === name)
    .map((member) => ({ kind: "item", item: member, module, owner: item }));
}

/** Returns the variants of an enum, fields of a struct or items of a trait. */
function membersOf(file: RustFile, { kind, body }: RustItem): RustItem[] {
  if (!typeKinds.has(kind) || !body) return [];
  if (kind === "trait") return scanItems(file.masked, body.start, body.end);
  return scanMembers(file.masked, body.start, body.end, kind === "enum" ? "variant" : "field");
}

/** One name that a `use` declaration imports. */
interface UseLeaf {
  /** Path without braces: `["crate", "runtime", "Runtime"]`. */
  readonly path: readonly string[];
  /** Imported name; `*` for all names of a module, `_` for none. */
  readonly name: string;
}

/** Parses masked text of a `use` declaration, such as `pub use a::{b as c, d::*};`. */
export function parseUse(declaration: string): UseLeaf[] {
  const tree = declaration
    .replace(/^\s*(?:pub(?:\s*\([^)]*\))?\s+)?use\b/, "")
    .trimEnd()
    .replace(/;$/, "");
  return leavesOf(tree, []);
}

/** Maximum nesting of braces, since each level is read again. */
const maxDepth = 32;

function leavesOf(tree: string, prefix: readonly string[], depth = 0): UseLeaf[] {
  if (depth > maxDepth) return [];
  const text = tree.trim();
  const brace = text.indexOf("{");
  if (brace === -1) return text === "" ? [] : [toLeaf(text, prefix)];
  const path = [...prefix, ...segmentsOf(text.slice(0, brace))];
  return splitAtCommas(text.slice(brace + 1, text.lastIndexOf("}"))).flatMap((part) => leavesOf(part, path, depth + 1));
}

function toLeaf(text: string, prefix: readonly string[]): UseLeaf {
  const [, spelled = text, rename] = /^(.*?)(?<!\s)\s+as\s+(\w+)$/s.exec(text) ?? [];
  const path = [...prefix, ...segmentsOf(spelled)];
  if (path.at(-1) === "*") return { path: path.slice(0, -1), name: "*" };
  const target = path.at(-1) === "self" && path.length > 1 ? path.slice(0, -1) : path;
  return { path: target, name: rename ?? target.at(-1) ?? "" };
}

/** A leading `::` becomes an empty first segment. */
function segmentsOf(path: string): string[] {
  const segments = path.split("::").map((segment) => segment.trim().replace(/^r#/, ""));
  return segments.filter((segment, index) => segment !== "" || (index === 0 && segments.length > 1));
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "{") depth++;
    else if (character === "}") depth--;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}
