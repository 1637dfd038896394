import type { CrateModules } from "./crate-modules.js";
import { implBlocksOf } from "./impl-blocks.js";
import { PathWalk, type PathTarget } from "./path-walk.js";
import type { RustFile, RustItem } from "./rust-item.js";
import { scanItems } from "./scan-items.js";

/** An item found by its name alone. */
export interface NamedItem {
  readonly file: RustFile;
  readonly item: RustItem;
}

/** Targets of a path: along modules and re-exports, then the methods of `impl` blocks, then macros of the crate. */
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

/** Every item of that name in the crate, at any depth, bodies of functions left out; public ones first. */
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

/** `#[macro_export]` puts a macro at the root of its crate, wherever it stands; other macros may add the attribute. Derive macros too. */
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
