import { createScanner, type Edit, type Node } from "jsonc-parser";

/**
 * Returns edits that append `item` (JSON text) to a list or object in its existing layout: on a separate line if the previous item is,
 * after the previous item's comment, and with a trailing comma if there was one. The lines of `item` after the first must already be
 * indented.
 */
export function insertLast(text: string, container: Node, item: (indent: string) => string): readonly Edit[] {
  const last = container.children?.at(-1);
  if (!last) return insertFirst(text, container, item);
  const end = last.offset + last.length;
  const { comma, lineEnd } = afterItem(text, end);
  const indent = indentBefore(text, last.offset);
  if (indent === undefined) return [{ offset: end, length: 0, content: `, ${item(lineIndent(text, last.offset))}` }];
  const line = `${lineBreakOf(text)}${indent}${item(indent)}`;
  if (comma !== -1) return [{ offset: Math.max(lineEnd, comma + 1), length: 0, content: `${line},` }];
  return [
    { offset: end, length: 0, content: "," },
    { offset: lineEnd, length: 0, content: line },
  ];
}

export function lineBreakOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Returns the indentation of the first indented line, else two spaces. */
export function indentStepOf(text: string): string {
  const first = /^[ \t]+(?=[^\s/*])/m.exec(text)?.[0];
  return first === undefined ? "  " : first.startsWith("\t") ? "\t" : first;
}

function insertFirst(text: string, container: Node, item: (indent: string) => string): readonly Edit[] {
  const close = container.offset + container.length - 1;
  const outer = lineIndent(text, container.offset);
  const inner = outer + indentStepOf(text);
  const lineBreak = lineBreakOf(text);
  const closeIndent = indentBefore(text, close);
  if (closeIndent === undefined) {
    const content = `${lineBreak}${inner}${item(inner)}${lineBreak}${outer}`;
    return [{ offset: close, length: 0, content }];
  }
  return [{ offset: close - closeIndent.length, length: 0, content: `${inner}${item(inner)}${lineBreak}` }];
}

/** Returns the white space before `offset` on its line; undefined if the line has other text before it. */
function indentBefore(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return offset > 0 && /^[ \t]*$/.test(before) ? before : undefined;
}

function lineIndent(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

/** Returns the offset of the comma after an item, or -1, and the end of the item's last line including comments. */
function afterItem(text: string, end: number): { comma: number; lineEnd: number } {
  const scanner = createScanner(text);
  scanner.setPosition(end);
  let comma = -1;
  let lineEnd = end;
  let isSameLine = true;
  for (let token: number = scanner.scan(); ; token = scanner.scan()) {
    const tokenEnd = scanner.getTokenOffset() + scanner.getTokenLength();
    if (token === tokens.comma) {
      comma = scanner.getTokenOffset();
      if (isSameLine) lineEnd = tokenEnd;
    } else if (token === tokens.lineBreak) {
      isSameLine = false;
    } else if (token === tokens.lineComment || token === tokens.blockComment) {
      if (isSameLine) lineEnd = tokenEnd;
    } else if (token !== tokens.space) {
      return { comma, lineEnd };
    }
  }
}

/** Token kinds of jsonc-parser, copied because the library declares them in an enum that doesn't exist at run time. */
export const tokens = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  space: 15,
  end: 17,
} as const;

/** Appends an object to a text without a root. */
export function withEmptyRoot(text: string): string {
  const lineBreak = lineBreakOf(text);
  const comments = text.trimEnd();
  return `${comments === "" ? "" : comments + lineBreak}{${lineBreak}}${lineBreak}`;
}
