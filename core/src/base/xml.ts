/** XML element; names have no namespace prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Text of the element itself, without its children's. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  readonly texts: string[];
}

/** Maximum nesting depth of elements. Build tools don't write deeper documents. */
const maxDepth = 200;
const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Parses XML as written by build tools: elements, attributes and text. Decodes only the five predefined entities and numeric ones; custom
 * entities stay unexpanded, so that a document can't grow or load other files. Undefined for incomplete documents.
 */
export function parseXml(text: string): XmlElement | undefined {
  const top: OpenElement = newElement("", new Map());
  const open = [top];
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf("<", at);
    const parent = open.at(-1) ?? top;
    parent.texts.push(decoded(text.slice(at, next === -1 ? undefined : next)));
    if (next === -1) break;
    const skipped = skippedPart(text, next);
    if (skipped) {
      if (skipped.end === -1) return undefined;
      if (skipped.data !== undefined) parent.texts.push(skipped.data);
      at = skipped.end;
      continue;
    }
    const end = tagEnd(text, next);
    if (end === -1) return undefined;
    const tag = text.slice(next + 1, end);
    at = end + 1;
    if (tag.startsWith("/")) {
      if (open.length === 1 || plainName(tag.slice(1).trim()) !== parent.name) return undefined;
      open.pop();
      continue;
    }
    const element = readTag(tag);
    if (!element || open.length > maxDepth) return undefined;
    parent.children.push(element);
    if (!tag.endsWith("/")) open.push(element);
  }
  const [root] = top.children;
  return open.length === 1 && root ? whole(root) : undefined;
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

export function childText(element: XmlElement | undefined, name: string): string | undefined {
  const text = childOf(element, name)?.text.trim();
  return text === "" ? undefined : text;
}

function newElement(name: string, attributes: ReadonlyMap<string, string>): OpenElement {
  return { name, attributes, children: [], texts: [], text: "" };
}

function whole({ name, attributes, children, texts }: OpenElement): XmlElement {
  return { name, attributes, children: children.map(whole), text: texts.join("") };
}

/** Skips comments, processing instructions, a document type or CDATA, and returns CDATA's text. `end` is -1 if unterminated. */
function skippedPart(text: string, at: number): { readonly end: number; readonly data?: string } | undefined {
  const after = (closing: string, from: number): number => {
    const found = text.indexOf(closing, from);
    return found === -1 ? -1 : found + closing.length;
  };
  if (text.startsWith("<!--", at)) return { end: after("-->", at + 4) };
  if (text.startsWith("<?", at)) return { end: after("?>", at + 2) };
  if (text.startsWith("<![CDATA[", at)) {
    const end = after("]]>", at + 9);
    return { end, data: text.slice(at + 9, end - 3) };
  }
  if (!text.startsWith("<!", at)) return undefined;
  const end = after(">", at);
  const inner = text.slice(at, Math.max(end, at)).indexOf("[");
  return { end: inner === -1 ? end : after("]>", at + inner) };
}

/** Finds the end of a tag; ignores ">" inside quotes. */
function tagEnd(text: string, at: number): number {
  let quote = "";
  for (let index = at + 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return index;
  }
  return -1;
}

function readTag(tag: string): OpenElement | undefined {
  const name = /^[^\s/>]+/.exec(tag)?.[0];
  if (name === undefined) return undefined;
  const attributes = new Map<string, string>();
  // The expression is sticky, so that parsing stops at the first invalid attribute after a single pass.
  const attribute = /\s+([^\s=/"']{1,500})\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
  attribute.lastIndex = name.length;
  for (let found = attribute.exec(tag); found; found = attribute.exec(tag)) {
    const [, key = "", double, single] = found;
    attributes.set(plainName(key), decoded(double ?? single ?? ""));
  }
  return newElement(plainName(name), attributes);
}

function plainName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (all, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return named[name] ?? all;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
