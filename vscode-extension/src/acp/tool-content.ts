import { basename, relative, sep } from "node:path";
import { isInside } from "@symposium-dev/core/node";
import { structuredPatch } from "diff";
import * as z from "zod/mini";
import { contentBlockSchema, type Location, type ToolContent } from "../../protocol/index.js";

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
      const isWholeFile = content.oldText === null || content.oldText === undefined;
      const oldText = content.oldText ?? "";
      // Parts of a file end as they end: that both sides lack a newline is no change.
      const end = [oldText, content.newText].every((text) => /[^\n]$/u.test(text)) ? "\n" : "";
      const patch = unifiedPatch(oldText + end, content.newText + end);
      return {
        type: "diff",
        path: content.path,
        ...patch,
        isNewFile: oldText === "",
        ...(isWholeFile && { startsAt: 1 }),
      };
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
    if (!isInside(path, root)) continue;
    const inside = relative(root, path);
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

/** A unified diff as the view shows it: hunks without file header. */
interface Patch {
  readonly patch: string;
  /** Lines, counted over the whole change even where `patch` is cut. */
  readonly added: number;
  readonly removed: number;
  /** `patch` holds only the beginning. */
  readonly isCut: boolean;
}

const maxLines = 400;
const maxLineChars = 2_000;
/** Two long texts without anything in common would keep the extension host busy for seconds. */
const timeoutMs = 150;

/** What leads from `oldText` to `newText`, with three lines of context; bounded in size and in time. */
function unifiedPatch(oldText: string, newText: string): Patch {
  const diff = structuredPatch("", "", oldText, newText, "", "", { context: 3, timeout: timeoutMs });
  const hunks = diff?.hunks ?? [replacement(oldText, newText)];
  const lines: string[] = [];
  let added = 0;
  let removed = 0;
  let isCut = false;
  for (const hunk of hunks) {
    lines.push(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`);
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added++;
      else if (line.startsWith("-")) removed++;
      if (line.length > maxLineChars) isCut = true;
      if (lines.length < maxLines) lines.push(line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line);
      else isCut = true;
    }
  }
  return { patch: lines.slice(0, maxLines).join("\n"), added, removed, isCut };
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function replacement(oldText: string, newText: string): Hunk {
  const removed = linesOf(oldText).map((line) => `-${line}`);
  const added = linesOf(newText).map((line) => `+${line}`);
  const lines = [...removed, ...added];
  return { oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines };
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
