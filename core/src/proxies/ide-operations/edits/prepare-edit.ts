import type { WorkspaceEdit } from "../../../ide-operations/workspace-edit.js";
import type { IdeCall } from "../ide-call.js";
import type { IdeSession } from "../ide-session.js";
import { stateMark } from "../text/state-mark.js";
import { previewEdit } from "./preview.js";

export interface EditToPrepare {
  readonly edit: WorkspaceEdit;
  /** What it does, such as `Rename area to surface`. */
  readonly label: string;
  /** What else should be known before it is made. */
  readonly remarks?: readonly string[];
}

/** Keeps an edit for `apply_edit`, and shows it. */
export async function prepareEdit(call: IdeCall, session: IdeSession, prepared: EditToPrepare): Promise<string> {
  const { edit, label, remarks = [] } = prepared;
  const { lines, texts, size } = await previewEdit(call, edit);
  const outside = touchedOutside(call, edit);
  const name = session.edits.keep({ edit, label, texts });
  return [
    `${label}: ${size}, not made yet ${stateMark(call.state)}`,
    ...lines,
    ...(outside.length > 0 ? [`outside of the session's folder: ${outside.join(", ")}`] : []),
    ...remarks,
    call.can("applyEdit") ? `To make it: apply_edit ${name}` : "The editor cannot make it: edit the files as shown.",
  ].join("\n");
}

function touchedOutside(call: IdeCall, { changes }: WorkspaceEdit): string[] {
  const shown = changes.map((change) => call.paths.shown(change.kind === "rename" ? change.to : change.uri));
  return [...new Set(shown.filter((path) => /^(?:\/|[A-Za-z]:|[a-z][a-z0-9+.-]+:)/.test(path)))];
}
