import { applyEdits, createScanner, type Edit, getNodeValue, type Node } from "jsonc-parser";
import { SymposiumError } from "../base/symposium-error.js";
import { childOf, JsonDocument } from "./json-document.js";
import { indentStepOf, insertLast, lineBreakOf, tokens, withEmptyRoot } from "./json-insertion.js";
import { formatProblem } from "../base/problem.js";

/** Keys of nested objects; after the first key also indices of lists. */
export type SettingsPath = readonly [string, ...(string | number)[]];

/**
 * Sets `value` at `path`, adding missing objects. Preserves equal values, comments, order, layout and a byte order mark. Throws
 * `invalid-config` with `file` and line if the text is invalid or another value blocks the path.
 */
export function withSetting(text: string, path: SettingsPath, value: unknown, file: string): string {
  return edited(text, file, (document, root) => {
    let object = root;
    for (const [depth, key] of path.entries()) {
      const old = childOf(object, key);
      const rest = path.slice(depth + 1);
      if (!old) return insertMember(document, object, key, nested(rest, value));
      if (rest.length === 0)
        return JSON.stringify(getNodeValue(old)) === JSON.stringify(value) ? [] : [replaced(document, old, value)];
      if (old.type !== "object" && typeof rest[0] === "string")
        throw notA("object", document, path.slice(0, depth + 1), file);
      object = old;
    }
    return [];
  });
}

/**
 * Removes the member at `path`, and parent objects that become empty and have no comments. Preserves the rest. Throws like {@link
 * withSetting} if the text is invalid.
 */
export function withoutSetting(text: string, path: SettingsPath, file: string): string {
  const without = edited(text, file, (document, root) => {
    const parent = path.length === 1 ? root : document.nodeAt(path.slice(0, -1));
    const property = parent && propertyOf(parent, path.at(-1) ?? "");
    return parent && property ? removal(document.text, parent, property) : [];
  });
  const [first, ...others] = path.slice(0, -1);
  if (without === text || typeof first !== "string") return without;
  const around: SettingsPath = [first, ...others];
  const emptied = JsonDocument.parse(without).nodeAt(around);
  return emptied?.type === "object" && isBare(without, emptied) ? withoutSetting(without, around, file) : without;
}

/**
 * Appends `item` to the list at `path`, creating the list if needed; otherwise like {@link withSetting}. With the layout `line`, puts the
 * item on one line.
 */
export function withItem(
  text: string,
  path: SettingsPath,
  item: Readonly<Record<string, unknown>> | string,
  file: string,
  layout: "line" | "indented" = "indented",
): string {
  return edited(text, file, (document, root) => {
    const itemText = (indent: string): string =>
      layout === "line" ? oneLine(item) : laidOut(document.text, item, indent);
    let object = root;
    for (const [depth, key] of path.entries()) {
      const rest = path.slice(depth + 1);
      const old = childOf(object, key);
      if (!old) {
        // Insert an empty list first, so that the item gets its layout in one place.
        const empty = applyEdits(document.text, [...insertMember(document, object, key, nested(rest, []))]);
        return [{ offset: 0, length: document.text.length, content: withItem(empty, path, item, file, layout) }];
      }
      const wanted = rest.length === 0 ? "array" : "object";
      if (old.type !== wanted)
        throw notA(rest.length === 0 ? "list" : "object", document, path.slice(0, depth + 1), file);
      object = old;
    }
    return insertLast(document.text, object, itemText);
  });
}

function oneLine(item: Readonly<Record<string, unknown>> | string): string {
  if (typeof item === "string") return JSON.stringify(item);
  const members = Object.entries(item).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{ ${members.join(", ")} }`;
}

/**
 * Removes the items for which `isMeant` returns true from the list at `path`, and the list itself if it becomes empty and has no comments.
 * Throws like {@link withSetting} if the text is invalid.
 */
export function withoutItems(
  text: string,
  path: SettingsPath,
  isMeant: (item: unknown) => boolean,
  file: string,
): string {
  const list = readable(text, file).nodeAt(path);
  const isGone = (node: Node): boolean => isMeant(getNodeValue(node));
  if (list?.type !== "array" || !list.children?.some(isGone)) return text;
  // Remove one item at a time, since adjacent items share a comma.
  const next = edited(text, file, (document) => {
    const now = document.nodeAt(path);
    const item = now?.children?.find(isGone);
    return now && item ? removal(document.text, now, item) : [];
  });
  const left = JsonDocument.parse(next).nodeAt(path);
  return left && isBare(next, left) ? withoutSetting(next, path, file) : withoutItems(next, path, isMeant, file);
}

/** Returns the value at `path`; undefined if missing. Throws like {@link withSetting}. */
export function settingAt(text: string, path: SettingsPath, file: string): unknown {
  const node = readable(text, file).nodeAt(path);
  return node && getNodeValue(node);
}

function readable(text: string, file: string): JsonDocument {
  const document = JsonDocument.parse(text);
  const broken = document.problems.find(({ severity }) => severity === "error");
  if (broken) {
    throw new SymposiumError("invalid-config", formatProblem(broken, file), "Fix that line. Nothing was changed.");
  }
  return document;
}

function edited(text: string, file: string, edits: (document: JsonDocument, root: Node) => readonly Edit[]): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const bare = text.slice(mark.length);
  const given = readable(bare, file);
  const document = given.root ? given : JsonDocument.parse(withEmptyRoot(bare));
  const { root } = document;
  if (root?.type !== "object") throw notA("object", document, [], file);
  const list = edits(document, root);
  return list.length === 0 ? text : mark + applyEdits(document.text, [...list]);
}

function notA(
  wanted: "object" | "list",
  document: JsonDocument,
  path: readonly (string | number)[],
  file: string,
): SymposiumError {
  const what = path.length === 0 ? "The settings are" : `"${path.join(".")}" is`;
  const message = `${what} not ${wanted === "list" ? "a list" : "an object"}, so nothing can be added.`;
  const problem = document.locate({ severity: "error", path, message });
  const remedy = wanted === "list" ? "a list in square brackets" : "an object in braces";
  return new SymposiumError(
    "invalid-config",
    formatProblem(problem, file),
    `Make it ${remedy} or remove it. Nothing was changed.`,
  );
}

/** Returns the property of an object by key. Of duplicate keys, the last one applies. */
function propertyOf(object: Node, key: string | number): Node | undefined {
  return object.children?.findLast((property) => property.children?.[0]?.value === key);
}

function nested(path: readonly (string | number)[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function insertMember({ text }: JsonDocument, object: Node, key: string | number, value: unknown): readonly Edit[] {
  return insertLast(text, object, (indent) => `${JSON.stringify(String(key))}: ${laidOut(text, value, indent)}`);
}

function replaced({ text }: JsonDocument, old: Node, value: unknown): Edit {
  const lineStart = text.lastIndexOf("\n", old.offset - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? "";
  return { offset: old.offset, length: old.length, content: laidOut(text, value, indent) };
}

function laidOut(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, undefined, indentStepOf(text)).replaceAll("\n", lineBreakOf(text) + indent);
}

/**
 * Returns edits that remove a member with the line break before it and its comma. For the last member, the comma after the previous member
 * is removed.
 */
function removal(text: string, object: Node, property: Node): readonly Edit[] {
  const members = object.children ?? [];
  const before = members[members.indexOf(property) - 1];
  const beforeEnd = before && before.offset + before.length;
  const comma = commaAfter(text, property.offset + property.length);
  const end = comma ?? property.offset + property.length;
  const start = leadOf(text, property.offset, end, beforeEnd ?? object.offset + 1);
  const own = { offset: start, length: end - start, content: "" };
  const separator = beforeEnd === undefined || comma !== undefined ? undefined : commaAfter(text, beforeEnd);
  return separator === undefined ? [own] : [{ offset: separator - 1, length: 1, content: "" }, own];
}

/**
 * Returns the start of the white space before a member, but at least `floor`. Includes the line break if nothing would follow the white
 * space on its line.
 */
function leadOf(text: string, offset: number, end: number, floor: number): number {
  const space = /[ \t]*$/.exec(text.slice(floor, offset))?.[0].length ?? 0;
  const start = offset - space;
  const isLastOfLine = /^[ \t]*(?:\/\/|\r?\n|$)/.test(text.slice(end));
  if (!isLastOfLine || start <= floor || text[start - 1] !== "\n") return start;
  return text[start - 2] === "\r" ? start - 2 : start - 1;
}

/** Returns the end of the next comma, skipping comments and white space. */
function commaAfter(text: string, end: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(end);
  const token: number = scanner.scan();
  return token === tokens.comma ? scanner.getTokenOffset() + 1 : undefined;
}

function isBare(text: string, { offset, length }: Node): boolean {
  return text.slice(offset + 1, offset + length - 1).trim() === "";
}
