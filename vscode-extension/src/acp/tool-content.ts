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

/** Converts an ACP `ToolCallContent` for the view. Never throws: unknown content is shown as JSON. */
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
      // If both excerpts lack a final newline, the missing newline isn't a change.
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

/** Converts a location of a tool call. `line` is 1-based; the label is relative to the containing root. */
export function toLocation(path: string, line: number | undefined, roots: readonly string[]): Location {
  return { path, label: pathLabel(path, roots), ...(line === undefined ? {} : { line }) };
}

/**
 * Returns `path` relative to its root, prefixed with the root's name if there are several. Paths outside all roots are returned unmodified.
 */
export function pathLabel(path: string, roots: readonly string[]): string {
  for (const root of roots) {
    if (!isInside(path, root)) continue;
    const inside = relative(root, path);
    if (inside === "") return basename(root);
    return roots.length > 1 ? `${basename(root)}${sep}${inside}` : inside;
  }
  return path;
}

export function boundedJson(value: unknown, maxChars = maxJsonChars): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}

interface Patch {
  readonly patch: string;
  /** Line counts of the whole change, even if `patch` is cut. */
  readonly added: number;
  readonly removed: number;
  /** True if `patch` has only the first part of the diff. */
  readonly isCut: boolean;
}

const maxLines = 400;
const maxLineChars = 2_000;
/** Diffing two long unrelated texts would block the extension host for seconds. */
const timeoutMs = 150;

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
