import type { CrateModules, RustModule } from "./crate-modules.js";
import { type ImplBlock, implBlocksOf } from "./impl-blocks.js";
import { attributesOf, docsOf, innerDocsOf, readableStart, signatureOf } from "./item-text.js";
import type { PathTarget } from "./path-walk.js";
import { lineAt, type RustFile, type RustItem } from "./rust-item.js";
import { scanItems } from "./scan-items.js";

const mostDocLines = 60;
const mostSourceLines = 120;
const mostListed = 100;

/** What the sources say of an item: place, signature, documentation, source and, for types, methods and traits. */
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

/** The documentation and the public items of a module. */
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

/** `FILE:FIRST-LAST`, lines counted from 1. */
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
  // From the beginning of the line, so that the indentation is even.
  const start = file.text.lastIndexOf("\n", item.head) + 1;
  return cut(file.text.slice(start, item.end), mostSourceLines, `source; it is in ${placeOf(file, item)}`);
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
