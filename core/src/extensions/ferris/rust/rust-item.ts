/**
 * Kind of an item. A `block` is no item itself but contains items: a macro call with braces, an `if` in `cfg_if!`. `call` is a macro call
 * without arguments.
 */
type RustItemKind =
  | "fn"
  | "struct"
  | "enum"
  | "union"
  | "trait"
  | "mod"
  | "use"
  | "const"
  | "static"
  | "type"
  | "impl"
  | "macro"
  | "extern crate"
  | "block"
  | "call"
  | "variant"
  | "field";

/** An item in a file. Offsets are in characters. */
export interface RustItem {
  readonly kind: RustItemKind;
  /** Empty for `use`, `impl` and blocks. */
  readonly name: string;
  /** Offset from which documentation and attributes may start: the end of the preceding item. */
  readonly lead: number;
  /** Offset of the visibility or keyword. */
  readonly head: number;
  /** The range inside the braces, if any. */
  readonly body: { readonly start: number; readonly end: number } | undefined;
  readonly end: number;
  /** Whether the item is `pub` without restrictions such as `(crate)`. */
  readonly isPublic: boolean;
}

export interface RustFile {
  /** Path relative to the crate's folder. */
  readonly path: string;
  readonly text: string;
  readonly masked: string;
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line++;
  return line;
}

const visibility = String.raw`(?<pub>pub(?:\s*\([^)]*\))?\s+)?`;
const itemHead = new RegExp(
  `${visibility}(?:` +
    [
      String.raw`(?:default\s+|const\s+|async\s+|unsafe\s+|safe\s+|extern\s*(?:"[^"]*")?\s*)*(?<fn>fn)\s+(?<fnName>[\w#]+)`,
      String.raw`(?:unsafe\s+|auto\s+|default\s+)*(?<body>struct|enum|union|trait|mod|impl)\b\s*(?<bodyName>[\w#]+)?`,
      String.raw`(?<value>const|static|type)\s+(?:mut\s+|ref\s+)*(?<valueName>[\w#]+)`,
      String.raw`(?<use>use)\b`,
      String.raw`(?<extern>extern)\s+crate\s+(?<externName>[\w#]+)`,
      String.raw`(?<foreign>(?:unsafe\s+)?extern\s*(?:"[^"]*")?\s*(?=\{))`,
      String.raw`macro_rules\s*!\s*(?<rules>[\w#]+)`,
      String.raw`macro\s+(?<macro>[\w#]+)`,
      String.raw`(?<call>[\w:$]{1,300})\s*!\s*(?=[{([])`,
      String.raw`(?<branch>(?:else\s+)?if\b|else\b)`,
    ].join("|") +
    ")",
  "y",
);

/** Returns the direct items in a range of masked source, in order, including items in blocks. */
export function scanItems(masked: string, from: number, to: number): RustItem[] {
  const items: RustItem[] = [];
  let index = from;
  let lead = from;
  while (index < to) {
    index = skipAttributes(masked, index, to);
    if (index >= to) break;
    const item = itemAt(masked, index, to, lead);
    if (item === undefined) {
      index = skipUnknown(masked, index, to);
      lead = index;
      continue;
    }
    if (item.kind === "block") items.push(...(item.body ? scanItems(masked, item.body.start, item.body.end) : []));
    else items.push(item);
    index = lead = item.end;
  }
  return items;
}

/** Returns the variants of an enum or the fields of a struct or union: the name at the start of each comma-separated part. */
export function scanMembers(masked: string, from: number, to: number, kind: "variant" | "field"): RustItem[] {
  const members: RustItem[] = [];
  let lead = from;
  while (lead < to) {
    const head = skipAttributes(masked, lead, to);
    const end = findAtDepth(masked, head, to, /,/);
    const match = /^(pub(?:\s*\([^)]*\))?\s+)?([A-Za-z_][\w#]*)/.exec(masked.slice(head, end));
    if (match) {
      const isPublic = kind === "variant" || match[1]?.trim() === "pub";
      members.push({ kind, name: match[2] ?? "", lead, head, body: undefined, end, isPublic });
    }
    lead = end + 1;
  }
  return members;
}

/** Returns the offset after the bracket that closes the one at `open`. */
export function closingEnd(masked: string, open: number, to: number): number {
  let depth = 0;
  for (let index = open; index < to; index++) {
    const character = masked[index];
    if (character === "{" || character === "(" || character === "[") depth++;
    else if (character === "}" || character === ")" || character === "]") {
      depth--;
      if (depth <= 0) return index + 1;
    }
  }
  return to;
}

function itemAt(masked: string, head: number, to: number, lead: number): RustItem | undefined {
  itemHead.lastIndex = head;
  const groups = itemHead.exec(masked)?.groups;
  if (!groups) return undefined;
  const after = itemHead.lastIndex;
  const isPublic = groups["pub"]?.trim() === "pub";
  const made = (kind: RustItemKind, name: string, place: Place): RustItem => {
    return { kind, name: name.replace(/^r#/, ""), lead, head, isPublic, ...place };
  };
  if (groups["fn"] !== undefined) return made("fn", groups["fnName"] ?? "", bodyOrSemicolon(masked, after, to));
  if (groups["body"] !== undefined) {
    const kind = groups["body"] as RustItemKind;
    return made(kind, kind === "impl" ? "" : (groups["bodyName"] ?? ""), bodyOrSemicolon(masked, after, to));
  }
  if (groups["value"] !== undefined) {
    return made(groups["value"] as RustItemKind, groups["valueName"] ?? "", toSemicolon(masked, after, to));
  }
  if (groups["use"] !== undefined) return made("use", "", toSemicolon(masked, after, to));
  if (groups["extern"] !== undefined)
    return made("extern crate", groups["externName"] ?? "", toSemicolon(masked, after, to));
  const macro = groups["rules"] ?? groups["macro"];
  if (macro !== undefined) return made("macro", macro, bodyOrSemicolon(masked, after, to));
  const call = groups["call"];
  if (call !== undefined && /^\(\s*\)/.test(masked.slice(after, after + 80))) {
    return made("call", call.split("::").at(-1) ?? "", toSemicolon(masked, after, to));
  }
  return made("block", "", blockPlace(masked, after, to));
}

type Place = Pick<RustItem, "body" | "end">;

/** Ends at the closing brace of the first braces, or at an earlier semicolon. */
function bodyOrSemicolon(masked: string, from: number, to: number): Place {
  const at = findAtDepth(masked, from, to, /[{;]/);
  if (masked[at] !== "{") return { body: undefined, end: Math.min(at + 1, to) };
  const end = closingEnd(masked, at, to);
  return { body: { start: at + 1, end: end - 1 }, end };
}

function toSemicolon(masked: string, from: number, to: number): Place {
  return { body: undefined, end: Math.min(findAtDepth(masked, from, to, /;/) + 1, to) };
}

/** Place of a macro call or branch. Only braces contain items. */
function blockPlace(masked: string, from: number, to: number): Place {
  if (masked[from] === "(" || masked[from] === "[") return { body: undefined, end: closingEnd(masked, from, to) };
  return bodyOrSemicolon(masked, from, to);
}

/** Returns the first match of `wanted` outside brackets, or `to` if there is none. */
function findAtDepth(masked: string, from: number, to: number, wanted: RegExp): number {
  let index = from;
  while (index < to) {
    const character = masked[index] ?? "";
    if (wanted.test(character)) return index;
    index = character === "{" || character === "(" || character === "[" ? closingEnd(masked, index, to) : index + 1;
  }
  return to;
}

/** Skips white space, stray punctuation, and outer and inner attributes. */
function skipAttributes(masked: string, from: number, to: number): number {
  let index = from;
  while (index < to) {
    const attribute = /^#!?\s*\[/.exec(masked.slice(index, index + 8));
    if (attribute) index = closingEnd(masked, index + attribute[0].length - 1, to);
    else if (/[\s;,})\]]/.test(masked[index] ?? "")) index++;
    else break;
  }
  return index;
}

function skipUnknown(masked: string, from: number, to: number): number {
  const character = masked[from] ?? "";
  if (character === "{" || character === "(" || character === "[") return closingEnd(masked, from, to);
  const word = /^[\w$#]+/.exec(masked.slice(from, from + 200));
  return from + (word?.[0].length ?? 1);
}
