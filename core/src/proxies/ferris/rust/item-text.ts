import type { RustFile, RustItem } from "./rust-item.js";

/** The documentation comments of an item, without their marks; empty when it has none. */
export function docsOf(file: RustFile, item: RustItem): string {
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

/** The `//!` documentation at the top of a module's source. */
export function innerDocsOf(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const doc = /^\s*\/\/!(?: ?)(.*)$/.exec(line)?.[1];
    if (doc !== undefined) lines.push(doc.trimEnd());
    else if (line.trim() !== "" && !/^\s*(?:\/\/|#!)/.test(line)) break;
  }
  return lines.join("\n");
}

/** Everything of an item up to its body, attributes that shape its interface included, comments left out. */
export function signatureOf(file: RustFile, item: RustItem): string {
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

/** Attributes such as `#[derive(…)]`, `#[must_use]` and `#[deprecated]`, each on one line. */
export function attributesOf(file: RustFile, item: RustItem): string[] {
  const lead = file.masked.slice(item.lead, item.head);
  return [...lead.matchAll(shownAttribute)].map(({ 0: attribute, index }) => {
    const start = item.lead + index;
    return file.text.slice(start, start + attribute.length).replace(/\s+/g, " ");
  });
}

const shownAttribute =
  /#\[(?:derive|must_use|deprecated|non_exhaustive|cfg|repr|macro_export|proc_macro\w*)\b[^\]]*\]/g;

/** Where an item begins for a reader: at its documentation or first attribute. */
export function readableStart(file: RustFile, item: RustItem): number {
  const lead = file.text.slice(item.lead, item.head);
  const first = /^[ \t]*(?:\/\/\/|\/\*\*|#\[)/m.exec(lead);
  return first ? item.lead + first.index : item.head - (/[ \t]*$/.exec(lead)?.[0].length ?? 0);
}

/** Source without its comments: strings stay. */
function keptText(file: RustFile, from: number, to: number): string {
  return file.text
    .slice(from, to)
    .replace(/^[ \t]*\/\/.*\n?/gm, "")
    .replace(/[ \t]+\/\/ .*$/gm, "")
    .replace(/\/\*[\s\S]*?\*\//g, "");
}
