import type { CrateModules } from "./crate-modules.js";
import { type PathTarget, PathWalk } from "./path-walk.js";
import { type RustFile, type RustItem, scanItems } from "./rust-item.js";

/** An item found by its name without a path. */
export interface NamedItem {
  readonly file: RustFile;
  readonly item: RustItem;
}

/** Finds the targets of a path: through modules and re-exports, then methods in `impl` blocks, then macros of the crate. */
export async function findItem(modules: CrateModules, path: readonly string[]): Promise<PathTarget[]> {
  const direct = await new PathWalk(modules).find(path);
  if (direct.length > 0) return direct;
  const name = path.at(-1) ?? "";
  if (path.length === 1) return macrosNamed(modules, name);
  const owners = await new PathWalk(modules).find(path.slice(0, -1));
  const found: PathTarget[] = [];
  for (const owner of owners) {
    if (owner.kind !== "item") continue;
    for (const block of await implBlocksOf(modules, owner.item.name, owner.module.file)) {
      for (const item of block.items.filter((one) => one.name === name)) {
        found.push({ kind: "item", item, module: { ...owner.module, file: block.file }, owner: owner.item });
      }
    }
  }
  return found;
}

/** Returns all items of that name in the crate at any depth, except in function bodies. Public items come first. */
export async function itemsNamed(modules: CrateModules, name: string): Promise<NamedItem[]> {
  const found: NamedItem[] = [];
  const mention = new RegExp(String.raw`\b${name}\b`);
  for (const path of await modules.files()) {
    const file = await modules.file(path);
    if (file && mention.test(file.masked)) found.push(...namedIn(file, 0, file.masked.length, name));
  }
  return found.toSorted((a, b) => Number(b.item.isPublic) - Number(a.item.isPublic));
}

function namedIn(file: RustFile, from: number, to: number, name: string): NamedItem[] {
  return scanItems(file.masked, from, to).flatMap((item): NamedItem[] => {
    const own = item.name === name && item.kind !== "mod" && item.kind !== "extern crate" ? [{ file, item }] : [];
    const isContainer = item.kind === "mod" || item.kind === "impl" || item.kind === "trait";
    return isContainer && item.body ? [...own, ...namedIn(file, item.body.start, item.body.end, name)] : own;
  });
}

/** Finds exported macros, which `#[macro_export]` or a wrapper macro puts at the crate root, and derive macros. */
async function macrosNamed(modules: CrateModules, name: string): Promise<PathTarget[]> {
  const root = await modules.root();
  if (!root) return [];
  const macros = (await itemsNamed(modules, name)).filter(({ item }) => item.kind === "macro");
  const derives = modules
    .items(root)
    .filter((item) => root.file.masked.slice(item.lead, item.head).includes("proc_macro_derive"))
    .filter((item) => new RegExp(String.raw`\(\s*${name}\s*[,)]`).test(root.file.masked.slice(item.lead, item.head)))
    .map((item) => ({ file: root.file, item }));
  return [...macros, ...derives].map(({ file, item }) => ({ kind: "item", item, module: { ...root, file } }));
}

export interface ImplBlock {
  readonly file: RustFile;
  readonly item: RustItem;
  /** The text before the braces, on one line. */
  readonly header: string;
  /** The trait as written; undefined for inherent methods. */
  readonly trait: string | undefined;
  readonly items: readonly RustItem[];
}

/**
 * Finds `impl` blocks of types with that name. If the crate has several such types, returns only blocks in the file of `definedIn` and
 * below its folder.
 */
export async function implBlocksOf(modules: CrateModules, name: string, definedIn: RustFile): Promise<ImplBlock[]> {
  const blocks: ImplBlock[] = [];
  let definitions = 0;
  const mention = new RegExp(String.raw`\bimpl\b[^{;]*\b${name}\b`);
  const definition = new RegExp(String.raw`\b(?:struct|enum|union)\s+${name}\b`, "g");
  for (const path of await modules.files()) {
    const file = await modules.file(path);
    if (!file) continue;
    definitions += file.masked.match(definition)?.length ?? 0;
    if (mention.test(file.masked)) blocks.push(...blocksIn(file, 0, file.masked.length, name));
  }
  if (definitions <= 1) return blocks;
  const below = `${definedIn.path.replace(/(?:\/mod)?\.rs$/, "")}/`;
  return blocks.filter(({ file }) => file.path === definedIn.path || file.path.startsWith(below));
}

function blocksIn(file: RustFile, from: number, to: number, name: string): ImplBlock[] {
  return scanItems(file.masked, from, to).flatMap((item): ImplBlock[] => {
    if (!item.body) return [];
    if (item.kind === "mod") return blocksIn(file, item.body.start, item.body.end, name);
    if (item.kind !== "impl") return [];
    const header = file.masked
      .slice(item.head, item.body.start - 1)
      .replace(/\s+/g, " ")
      .trim();
    const { type, trait } = parseHeader(header);
    if (type !== name) return [];
    return [{ file, item, header, trait, items: scanItems(file.masked, item.body.start, item.body.end) }];
  });
}

/** Returns the last segment of the type's path, and the trait. */
function parseHeader(header: string): { type: string | undefined; trait: string | undefined } {
  let rest = header.replace(/^.*?\bimpl\b\s*/, "");
  if (rest.startsWith("<")) rest = rest.slice(angleEnd(rest)).trim();
  rest = rest.replace(/\bwhere\b.*$/, "").trim();
  const split = forAt(rest);
  const type = split === -1 ? rest : rest.slice(split + " for ".length);
  const path = /^(?:[&*()\s]|'\w+\s|mut\s|const\s|dyn\s)*([\w:$]+)/.exec(type)?.[1];
  return { type: path?.split("::").at(-1), trait: split === -1 ? undefined : rest.slice(0, split).trim() };
}

function angleEnd(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "<") depth++;
    else if (text[index] === ">" && text[index - 1] !== "-" && text[index - 1] !== "=") {
      depth--;
      if (depth === 0) return index + 1;
    }
  }
  return text.length;
}

/** Returns the index of ` for ` outside generics, or -1. */
function forAt(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "<") depth++;
    else if (text[index] === ">" && text[index - 1] !== "-" && text[index - 1] !== "=") depth--;
    else if (depth === 0 && text.startsWith(" for ", index)) return index;
  }
  return -1;
}
