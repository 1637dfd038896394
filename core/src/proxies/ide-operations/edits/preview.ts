import type { TextEdit, WorkspaceChange, WorkspaceEdit } from "../../../ide-operations/workspace-edit.js";
import { linesOf } from "../documents.js";
import type { IdeCall } from "../ide-call.js";
import { bounded, counted } from "../text/bounded.js";
import { normalUri } from "../workspace-paths.js";
import { editedText } from "./edited-text.js";
import { lineChanges } from "./line-changes.js";

export interface EditPreview {
  /** What would change, by file. */
  readonly lines: readonly string[];
  /** The texts as they are, by URI; files that the edit makes have none. */
  readonly texts: ReadonlyMap<string, string>;
  /** How many places and files it touches, in words. */
  readonly size: string;
}

const maxLines = 160;
const maxLineLength = 160;

/** Shows an edit without making it: removed lines with `-`, added ones with `+`, each after its line number. */
export async function previewEdit(call: IdeCall, { changes }: WorkspaceEdit): Promise<EditPreview> {
  const texts = new Map<string, string>();
  const lines: string[] = [];
  let places = 0;
  const files = new Set<string>();
  for (const change of changes) {
    files.add(normalUri(change.kind === "rename" ? change.from : change.uri));
    lines.push(titleOf(call, change));
    if (change.kind !== "edit") continue;
    places += change.edits.length;
    const text = await call.documents.text(change.uri);
    if (text !== undefined) texts.set(normalUri(change.uri), text);
    lines.push(...changedLines(text ?? "", change.edits));
  }
  const left = lines.length - maxLines;
  const shown = left > 0 ? [...lines.slice(0, maxLines), `… ${counted(left, "more line")}`] : lines;
  return { lines: shown, texts, size: `${counted(places, "change")} in ${counted(files.size, "file")}` };
}

function titleOf(call: IdeCall, change: WorkspaceChange): string {
  switch (change.kind) {
    case "edit":
      return call.paths.shown(change.uri);
    case "create":
      return `new file ${call.paths.shown(change.uri)}`;
    case "delete":
      return `delete ${call.paths.shown(change.uri)}`;
    case "rename":
      return `move ${call.paths.shown(change.from)} to ${call.paths.shown(change.to)}`;
  }
}

function changedLines(text: string, edits: readonly TextEdit[]): string[] {
  return lineChanges(linesOf(text), linesOf(editedText(text, edits))).flatMap(({ line, removed, added }) => [
    ...removed.map((source, index) => `${line + index + 1} - ${bounded(source.trimEnd(), maxLineLength)}`),
    ...added.map((source, index) => `${line + index + 1} + ${bounded(source.trimEnd(), maxLineLength)}`),
  ]);
}
