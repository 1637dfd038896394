import { messageOf } from "../../../base/symposium-error.js";
import { pathOfFileUri } from "../../../base/file-uri.js";
import type { WorkspaceEdit } from "../../../base/ide-operations/workspace-edit.js";
import type { EditorFiles } from "../../editor-files/editor-files.js";
import type { WorkspacePaths } from "../workspace-paths.js";
import { editedText } from "./edited-text.js";

interface Planned {
  readonly before: string;
  readonly after: string;
}

/** Whether an edit changes only texts. Editors don't create, move or delete files for agents. */
export function isOfTexts({ changes }: WorkspaceEdit): boolean {
  return changes.every(({ kind }) => kind === "edit");
}

/**
 * Applies a text edit through the editor, which can then show it for review. Applies all changes or none. Resolves with undefined on
 * success, else with the reason.
 */
export function writeInEditor(
  files: EditorFiles,
  edit: WorkspaceEdit,
  { paths, signal }: { readonly paths: WorkspacePaths; readonly signal: AbortSignal },
): Promise<string | undefined> {
  return files.inTurn(async () => {
    const plan = await planOf(files, edit, paths, signal);
    if (typeof plan === "string") return plan;
    const done: [path: string, text: string][] = [];
    for (const [path, { before, after }] of plan) {
      try {
        if (signal.aborted) throw new Error("it was given up");
        await files.write(path, after, signal);
        done.push([path, before]);
      } catch (fault) {
        const lost = await putBack(files, done);
        const rest = lost.length === 0 ? "Nothing was changed." : `These could not be restored: ${lost.join(", ")}.`;
        return `${path} could not be written (${messageOf(fault)}). ${rest}`;
      }
    }
    return undefined;
  });
}

async function planOf(
  files: EditorFiles,
  { changes }: WorkspaceEdit,
  paths: WorkspacePaths,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Planned> | string> {
  const plan = new Map<string, Planned>();
  for (const change of changes) {
    const path = change.kind === "edit" ? pathOfFileUri(change.uri) : undefined;
    if (path === undefined || change.kind !== "edit") return "It isn't an edit of files on this machine.";
    if (!paths.contains(change.uri)) return `${path} is not a file of the workspace.`;
    const known = plan.get(path);
    const found = known ? { text: known.after, isUnsaved: false } : await files.read(path, signal);
    if (!found) return `${path} does not exist.`;
    if (found.isUnsaved) return `${path} has unsaved changes. Save it first.`;
    plan.set(path, { before: known?.before ?? found.text, after: editedText(found.text, change.edits) });
  }
  return plan;
}

/** Restores files even after a cancellation, since a partial edit is worse than a late one. Returns the paths that couldn't be restored. */
async function putBack(files: EditorFiles, done: readonly [path: string, text: string][]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [path, text] of done.toReversed()) {
    await files.write(path, text, new AbortController().signal).catch(() => lost.push(path));
  }
  return lost;
}
