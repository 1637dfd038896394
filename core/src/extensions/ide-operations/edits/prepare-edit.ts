import { normalFileUri } from "../../../base/file-uri.js";
import { SymposiumError } from "../../../base/symposium-error.js";
import type { OperationState } from "../../../base/ide-operations/operation-state.js";
import type { TextEdit, WorkspaceChange, WorkspaceEdit } from "../../../base/ide-operations/workspace-edit.js";
import { bounded, counted, stateMark } from "../answer-text.js";
import { linesOf } from "../documents.js";
import type { IdeCall, IdeSession } from "../ide-call.js";
import { editedText, lineChanges } from "./edited-text.js";

interface EditToPrepare {
  readonly edit: WorkspaceEdit;
  /** Description of the edit, for example `Rename area to surface`. */
  readonly label: string;
  /** Notes to show before the edit is applied. */
  readonly remarks?: readonly string[];
}

/** Stores an edit for `apply_edit` and returns its preview. */
export async function prepareEdit(call: IdeCall, session: IdeSession, prepared: EditToPrepare): Promise<string> {
  const { edit, label, remarks = [] } = prepared;
  const { lines, texts, size } = await previewEdit(call, edit);
  const outside = touchedOutside(call, edit);
  const name = session.edits.keep({ edit, label, texts });
  return [
    `${label}: ${size}, not applied yet ${stateMark(call.state)}`,
    ...lines,
    ...(outside.length > 0 ? [`outside the session's folder: ${outside.join(", ")}`] : []),
    ...remarks,
    call.can("applyEdit") ? `To apply it: apply_edit ${name}` : "The editor can't apply it: edit the files as shown.",
  ].join("\n");
}

function touchedOutside(call: IdeCall, { changes }: WorkspaceEdit): string[] {
  const shown = changes.map((change) => call.paths.shown(change.kind === "rename" ? change.to : change.uri));
  return [...new Set(shown.filter((path) => /^(?:\/|[A-Za-z]:|[a-z][a-z0-9+.-]+:)/.test(path)))];
}

interface EditPreview {
  /** Preview of the changes by file. */
  readonly lines: readonly string[];
  /** Current texts by URI; new files have none. */
  readonly texts: ReadonlyMap<string, string>;
  /** Number of changes and files, as text. */
  readonly size: string;
}

const maxLines = 160;
const maxLineLength = 160;

/** Previews an edit: removed lines with `-`, added lines with `+`, each after its line number. */
async function previewEdit(call: IdeCall, { changes }: WorkspaceEdit): Promise<EditPreview> {
  const texts = new Map<string, string>();
  const lines: string[] = [];
  let places = 0;
  const files = new Set<string>();
  for (const change of changes) {
    files.add(normalFileUri(change.kind === "rename" ? change.from : change.uri));
    lines.push(titleOf(call, change));
    if (change.kind !== "edit") continue;
    places += change.edits.length;
    const text = await call.documents.text(change.uri);
    if (text !== undefined) texts.set(normalFileUri(change.uri), text);
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

/** Throws if the language server isn't ready, since the edit may then miss places. */
export function refuseUnready(what: string, state: OperationState): void {
  if (state.kind === "ready") return;
  const isLoading = state.kind === "loading";
  const reason = isLoading
    ? `the language server is still loading${state.percent === undefined ? "" : ` (${state.percent} %)`}`
    : state.reason;
  throw new SymposiumError(
    "ide-operation-failed",
    `${what} is refused because it could miss places: ${reason}${/[.!?]$/.test(reason) ? "" : "."}`,
    isLoading ? "Ask again in a moment." : "Fix that, or edit the places by hand and check the build.",
  );
}
