import { basename, isAbsolute, relative, sep } from "node:path";
import * as z from "zod/mini";
import { contentBlockSchema, type Location, type ToolContent } from "../../protocol/index.js";
import { unifiedPatch } from "./patch.js";

const wireContent = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("content"), content: contentBlockSchema }),
  z.looseObject({
    type: z.literal("diff"),
    path: z.string(),
    oldText: z.nullish(z.string()),
    newText: z.string(),
  }),
  z.looseObject({ type: z.literal("terminal"), terminalId: z.string() }),
]);

const maxJsonChars = 20_000;

/** One `ToolCallContent` of ACP as the view shows it. Never throws: what we do not know is shown as JSON. */
export function toToolContent(value: unknown): ToolContent {
  const parsed = wireContent.safeParse(value);
  if (!parsed.success) return { type: "unknown", json: boundedJson(value) };
  const content = parsed.data;
  switch (content.type) {
    case "content":
      return { type: "content", block: content.content };
    case "terminal":
      return { type: "terminal", terminalId: content.terminalId };
    case "diff": {
      const oldText = content.oldText ?? "";
      const patch = unifiedPatch(oldText, content.newText);
      return { type: "diff", path: content.path, ...patch, isNewFile: oldText === "" };
    }
  }
}

/** A place that a tool call names; `line` is 1-based. Its label is relative to the root that it is in. */
export function toLocation(path: string, line: number | undefined, roots: readonly string[]): Location {
  return { path, label: pathLabel(path, roots), ...(line === undefined ? {} : { line }) };
}

/** `path` relative to the root that it is in, with that root's name when there are several; else as it is. */
export function pathLabel(path: string, roots: readonly string[]): string {
  for (const root of roots) {
    const inside = relative(root, path);
    if (isAbsolute(inside) || inside === ".." || inside.startsWith(`..${sep}`)) continue;
    if (inside === "") return basename(root);
    return roots.length > 1 ? `${basename(root)}${sep}${inside}` : inside;
  }
  return path;
}

/** `value` as indented JSON, or as it is when it is text; cut where it is longer than `maxChars`. */
export function boundedJson(value: unknown, maxChars = maxJsonChars): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}
