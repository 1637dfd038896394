import type { CrateModules, RustModule } from "./crate-modules.js";
import { type ImplBlock, implBlocksOf } from "./find-item.js";
import type { PathTarget } from "./path-walk.js";
import { lineAt, type RustFile, type RustItem, scanItems } from "./rust-item.js";

const mostDocLines = 60;
const mostSourceLines = 120;
const mostListed = 100;

/** Describes an item: place, signature, documentation, source, and for types their methods and traits. */
export async function itemReport(
  modules: CrateModules,
  { item, module, owner }: Extract<PathTarget, { kind: "item" }>,
): Promise<string> {
  const { file } = module;
  const title = owner ? `${item.kind} ${item.name} of ${owner.kind} ${owner.name}` : `${item.kind} ${item.name}`;
  const parts = [
    `${title} (${placeOf(file, item)})${item.isPublic || owner !== undefined || item.kind === "macro" ? "" : ", not public"}`,
    [...attributesOf(file, item), signatureOf(file, item)].join("\n"),
    cut(docsOf(file, item), mostDocLines, "documentation"),
    `Source:\n${sourceOf(file, item)}`,
  ];
  if (item.kind === "trait" && item.body) {
    const members = scanItems(file.masked, item.body.start, item.body.end);
    parts.push(
      listed(
        "Items of the trait",
        members.map((one) => memberLine(file, one)),
      ),
    );
  }
  if (item.kind === "struct" || item.kind === "enum" || item.kind === "union") {
    parts.push(...implParts(await implBlocksOf(modules, item.name, file)));
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Describes a module: its documentation and public items. */
export async function moduleReport(modules: CrateModules, module: RustModule): Promise<string> {
  const { file } = module;
  const lines = (await modules.parts(module)).flatMap((part) =>
    modules
      .items(part)
      .filter((item) => item.isPublic || isExportedMacro(part.file, item))
      .map((item) => memberLine(part.file, item)),
  );
  const title = `module ${module.path.length === 0 ? "root" : module.path.join("::")} (${file.path}:${lineAt(file.text, module.from)})`;
  return [
    title,
    cut(innerDocsOf(file.text.slice(module.from, module.to)), mostDocLines, "documentation"),
    listed("Public items", lines),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Returns `FILE:FIRST-LAST`, with lines counted from 1. */
export function placeOf(file: RustFile, item: RustItem): string {
  return `${file.path}:${lineAt(file.text, readableStart(file, item))}-${lineAt(file.text, item.end - 1)}`;
}

function isExportedMacro(file: RustFile, item: RustItem): boolean {
  return item.kind === "macro" && attributesOf(file, item).some((one) => one.startsWith("#[macro_export"));
}

function implParts(blocks: readonly ImplBlock[]): string[] {
  const own = blocks.filter((block) => block.trait === undefined);
  const methods = own.flatMap((block) =>
    block.items.filter((one) => one.isPublic).map((one) => memberLine(block.file, one)),
  );
  const hidden = own.flatMap((block) => block.items.filter((one) => !one.isPublic)).length;
  const traits = blocks.filter((block) => block.trait !== undefined);
  const note = hidden === 0 ? "" : ` (and ${hidden} that are not public)`;
  return [
    listed(`Methods and constants${note}`, methods),
    listed(
      "Trait implementations",
      traits.map(({ file, item, header }) => `${header}  // ${file.path}:${lineAt(file.text, item.head)}`),
    ),
  ];
}

function memberLine(file: RustFile, item: RustItem): string {
  const signature = signatureOf(file, item)
    .split("\n")
    .map((line) => line.trim())
    .join(" ");
  const short = signature.length <= 300 ? signature : `${signature.slice(0, 300)}…`;
  return `${short}  // ${file.path}:${lineAt(file.text, item.head)}`;
}

function sourceOf(file: RustFile, item: RustItem): string {
  // Starts at the beginning of the line, so that the indentation is consistent.
  const start = file.text.lastIndexOf("\n", item.head) + 1;
  return cut(file.text.slice(start, item.end), mostSourceLines, `source; see ${placeOf(file, item)}`);
}

function listed(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const more = lines.length > mostListed ? `\n… ${lines.length - mostListed} more` : "";
  return `${title}:\n${lines.slice(0, mostListed).join("\n")}${more}`;
}

function cut(text: string, most: number, what: string): string {
  const lines = text.split("\n");
  if (lines.length <= most) return text;
  return `${lines.slice(0, most).join("\n")}\n… ${lines.length - most} more lines of ${what}`;
}

/** Returns an item's documentation comments without comment marks; empty if there are none. */
function docsOf(file: RustFile, item: RustItem): string {
  const lead = file.text.slice(item.lead, item.head);
  const docs: string[] = [];
  const marks = /^[ \t]*\/\/\/(?!\/) ?(.*)$|\/\*\*(?![*/])([\s\S]*?)\*\/|#\[doc\s*=\s*"((?:[^"\\]|\\.)*)"\s*\]/gm;
  for (const [, line, block, attribute] of lead.matchAll(marks)) {
    if (line !== undefined) docs.push(line.trimEnd());
    else if (block !== undefined) docs.push(block.replace(/^[ \t]*\* ?/gm, "").trim());
    else if (attribute !== undefined) docs.push(attribute.replace(/\\(["\\])/g, "$1").trim());
  }
  return docs.join("\n");
}

/** Returns the `//!` documentation at the start of a module. */
function innerDocsOf(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const doc = /^\s*\/\/!(?: ?)(.*)$/.exec(line)?.[1];
    if (doc !== undefined) lines.push(doc.trimEnd());
    else if (line.trim() !== "" && !/^\s*(?:\/\/|#!)/.test(line)) break;
  }
  return lines.join("\n");
}

/** Returns the item up to its body, with the attributes that affect its interface and without comments. */
function signatureOf(file: RustFile, item: RustItem): string {
  if (item.kind === "macro") return `macro_rules! ${item.name}`;
  const end = item.body ? item.body.start - 1 : item.end;
  const kept = keptText(file, item.head, end)
    .replace(/[;,]\s*$/, "")
    .trim();
  const signature =
    item.kind === "fn"
      ? kept
          .replace(/\s+/g, " ")
          .replace(/,? ?\)/g, ")")
          .replace(/\( /g, "(")
      : kept;
  return signature.length <= 2_000 ? signature : `${signature.slice(0, 2_000)}…`;
}

/** Returns attributes such as `#[derive(…)]`, `#[must_use]` and `#[deprecated]`, each on one line. */
function attributesOf(file: RustFile, item: RustItem): string[] {
  const lead = file.masked.slice(item.lead, item.head);
  return [...lead.matchAll(shownAttribute)].map(({ 0: attribute, index }) => {
    const start = item.lead + index;
    return file.text.slice(start, start + attribute.length).replace(/\s+/g, " ");
  });
}

const shownAttribute =
  /#\[(?:derive|must_use|deprecated|non_exhaustive|cfg|repr|macro_export|proc_macro\w*)\b[^\]]*\]/g;

/** Offset of the item's documentation or first attribute. */
function readableStart(file: RustFile, item: RustItem): number {
  const lead = file.text.slice(item.lead, item.head);
  const first = /^[ \t]*(?:\/\/\/|\/\*\*|#\[)/m.exec(lead);
  return first ? item.lead + first.index : item.head - (/[ \t]*$/.exec(lead)?.[0].length ?? 0);
}

/** Returns the source without comments, but with strings. */
function keptText(file: RustFile, from: number, to: number): string {
  return file.text
    .slice(from, to)
    .replace(/^[ \t]*\/\/.*\n?/gm, "")
    .replace(/[ \t]+\/\/ .*$/gm, "")
    .replace(/\/\*[\s\S]*?\*\//g, "");
}
