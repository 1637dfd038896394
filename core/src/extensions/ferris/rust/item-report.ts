import type { CrateItems, ItemTarget, ModuleTarget } from "./crate-items.js";
import type { RustLines } from "./rust-lines.js";

const maxListed = 100;

/** Describes an item: place, documentation and source, and for types their methods and traits. */
export async function itemReport(crate: CrateItems, item: ItemTarget): Promise<string> {
  const { file, at, owner } = item;
  const kind = file.kindOf(at);
  const of = owner ? ` of ${owner.file.kindOf(owner.at)} ${owner.name}` : "";
  const hidden = file.isPublic(at) || owner || kind === "macro" ? "" : ", not public";
  const parts = [`${kind} ${item.name}${of} (${placeOf(item)})${hidden}`, file.item(at).text];
  if (/^(?:struct|enum|union)$/.test(kind)) {
    const blocks = await crate.implBlocks(item);
    const members = blocks
      .filter(({ trait }) => trait === undefined)
      .flatMap((block) => block.file.memberLines(block.at).map((line) => ({ file: block.file, at: line })));
    const shown = members.filter((one) => one.file.isPublic(one.at));
    const left = members.length - shown.length;
    parts.push(
      listed(`Methods and constants${left === 0 ? "" : ` (and ${left} that are not public)`}`, shown, memberLine),
      listed(
        "Trait implementations",
        blocks.filter(({ trait }) => trait !== undefined),
        (one) => `${one.header}  // ${placeOf(one)}`,
      ),
    );
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Describes a module: its documentation and public items. */
export async function moduleReport(crate: CrateItems, { path }: ModuleTarget): Promise<string> {
  const title = path.length === 0 ? "root" : path.join("::");
  const parts: string[] = [];
  const items: { readonly file: RustLines; readonly at: number }[] = [];
  for (const { file, scope } of await crate.scopesOf(path)) {
    const docs = scope.length > 0 ? "" : innerDocsOf(file.text);
    if (scope.length === 0) parts.push(`module ${title} (${file.path}:1)`, docs);
    const declared = file.matching(/^\s*(?:(pub)\s|(macro_rules)!)/);
    const own = declared.filter(({ at }) => file.scopeOf(at)?.join("::") === scope.join("::"));
    const visible = own.filter(({ at, name }) => name === "pub" || file.item(at).text.includes("#[macro_export"));
    for (const { at } of visible) items.push({ file, at });
  }
  if (parts.length === 0) parts.push(`module ${title}`);
  return [...parts, listed("Public items", items, memberLine)].filter((part) => part !== "").join("\n\n");
}

/** Returns `FILE:LINE`, with lines counted from 1. */
export function placeOf({ file, at }: { readonly file: RustLines; readonly at: number }): string {
  return `${file.path}:${at + 1}`;
}

function memberLine(one: { readonly file: RustLines; readonly at: number }): string {
  const head = one.file
    .head(one.at)
    .replace(/^[ \t]*\/\/.*\n?/gm, "")
    .replace(/\s+/g, " ")
    .replace(/,? ?\)/g, ")")
    .replace(/\( /g, "(")
    .replace(/\s*[;,{]?\s*$/, "")
    .trim();
  return `${head.length <= 300 ? head : `${head.slice(0, 300)}…`}  // ${placeOf(one)}`;
}

function listed<Item>(title: string, items: readonly Item[], lineOf: (item: Item) => string): string {
  if (items.length === 0) return "";
  const more = items.length > maxListed ? `\n… ${items.length - maxListed} more` : "";
  return `${title}:\n${items.slice(0, maxListed).map(lineOf).join("\n")}${more}`;
}

/** Returns the `//!` documentation at the start of a file. */
function innerDocsOf(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const doc = /^\s*\/\/!(?: ?)(.*)$/.exec(line)?.[1];
    if (doc !== undefined) lines.push(doc.trimEnd());
    else if (line.trim() !== "" && !/^\s*(?:\/\/|#!)/.test(line)) break;
  }
  return lines.slice(0, 60).join("\n");
}
