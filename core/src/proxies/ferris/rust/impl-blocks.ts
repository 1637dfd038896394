import type { CrateModules } from "./crate-modules.js";
import type { RustFile, RustItem } from "./rust-item.js";
import { scanItems } from "./scan-items.js";

/** An `impl` block of a type. */
export interface ImplBlock {
  readonly file: RustFile;
  readonly item: RustItem;
  /** Everything before the braces, on one line. */
  readonly header: string;
  /** The trait as it is written; undefined for the type's own methods. */
  readonly trait: string | undefined;
  readonly items: readonly RustItem[];
}

/**
 * The `impl` blocks whose type has that name, anywhere in the crate. When the crate defines several types of the
 * name, only those in the file of the one meant, and in files below its folder, count.
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

/** The last name of the type, and the trait. */
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

/** Where ` for ` stands outside of generics. */
function forAt(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "<") depth++;
    else if (text[index] === ">" && text[index - 1] !== "-" && text[index - 1] !== "=") depth--;
    else if (depth === 0 && text.startsWith(" for ", index)) return index;
  }
  return -1;
}
