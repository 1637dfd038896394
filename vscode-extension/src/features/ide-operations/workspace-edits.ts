import type * as vscode from "vscode";
import {
  type IdeOperationHandlers,
  pathOfFileUri,
  type TextEdit,
  type WorkspaceChange,
  type WorkspaceEdit,
} from "@symposium-dev/core";
import { checkPath, needsLeave } from "@symposium-dev/core/node";
import type { Workspace } from "./languages.js";
import { toRange, toUri } from "./places.js";

/** Entry that `WorkspaceEdit.entries()` omits: a created, renamed or deleted file, or a snippet. */
interface AnyEntry {
  readonly _type: number;
  readonly uri?: vscode.Uri;
  readonly edit?: Partial<vscode.TextEdit>;
  readonly from?: vscode.Uri;
  readonly to?: vscode.Uri;
  readonly options?: { readonly overwrite?: boolean; readonly contents?: Uint8Array };
}

const fileEntry = 1;
const textEntry = 2;

/** Converts a VS Code edit to wire format. Returns undefined if the edit has entries other than text and files. */
export function toWorkspaceEdit(edit: vscode.WorkspaceEdit): WorkspaceEdit | undefined {
  const changes: WorkspaceChange[] = [];
  for (const entry of entriesOf(edit)) {
    const change = toChange(entry);
    if (change === undefined) return undefined;
    changes.push(...change);
  }
  return { changes: joined(inOrder(changes)) };
}

/** Restores the order of changes. VS Code moves text edits after file operations, but edits of existing files belong before them. */
function inOrder(changes: readonly WorkspaceChange[]): WorkspaceChange[] {
  const made = new Set(changes.flatMap((change) => madeBy(change)));
  const isEarly = (change: WorkspaceChange): boolean => change.kind === "edit" && !made.has(change.uri);
  const files = changes.filter(({ kind }) => kind !== "edit");
  const late = changes.filter((change) => change.kind === "edit" && made.has(change.uri));
  return [...changes.filter(isEarly), ...files, ...late];
}

function madeBy(change: WorkspaceChange): string[] {
  if (change.kind === "create") return [change.uri];
  return change.kind === "rename" ? [change.to] : [];
}

export function toTextEdit({ range, newText }: Pick<vscode.TextEdit, "range" | "newText">): TextEdit {
  return { range: toRange(range), newText };
}

/** Returns all entries through an internal VS Code method. The public API omits file operations, so part of the edit would be missing. */
function entriesOf(edit: vscode.WorkspaceEdit): readonly AnyEntry[] {
  const all: unknown = Reflect.get(edit, "_allEntries");
  if (typeof all === "function") return all.call(edit) as readonly AnyEntry[];
  return edit.entries().flatMap(([uri, edits]) => edits.map((one) => ({ _type: textEntry, uri, edit: one })));
}

function toChange({ _type, uri, edit, from, to, options }: AnyEntry): WorkspaceChange[] | undefined {
  if (_type === textEntry && uri && edit?.range && edit.newText !== undefined) {
    const { range, newText } = edit;
    return [{ kind: "edit", uri: toUri(uri), edits: [toTextEdit({ range, newText })] }];
  }
  if (_type !== fileEntry) return undefined;
  if (from && to) return [{ kind: "rename", from: toUri(from), to: toUri(to) }];
  if (from) return [{ kind: "delete", uri: toUri(from) }];
  if (!to) return undefined;
  const created = {
    kind: "create",
    uri: toUri(to),
    ...(options?.overwrite === true ? { overwrite: true } : {}),
  } as const;
  const newText = options?.contents === undefined ? "" : new TextDecoder().decode(options.contents);
  const start = { line: 0, character: 0 };
  const filled = { kind: "edit", uri: created.uri, edits: [{ range: { start, end: start }, newText }] } as const;
  return newText === "" ? [created] : [created, filled];
}

function joined(changes: readonly WorkspaceChange[]): WorkspaceChange[] {
  const steps: WorkspaceChange[] = [];
  for (const change of changes) {
    const last = steps.at(-1);
    if (change.kind === "edit" && last?.kind === "edit" && last.uri === change.uri) {
      steps[steps.length - 1] = { ...last, edits: [...last.edits, ...change.edits] };
    } else steps.push(change);
  }
  return steps;
}

/** A file's text before and after an edit; null if the file doesn't exist. */
export interface EditedFile {
  readonly folder: string;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Applies edits. Skips files outside the workspace and files with settings or secrets. */
export function applyOperations(
  { folder, editor }: Workspace,
  edited: (file: EditedFile) => void,
): Required<Pick<IdeOperationHandlers, "applyEdit">> {
  return {
    async applyEdit({ edit }) {
      const state = { kind: "ready" } as const;
      const uris = urisOf(edit);
      const places = await Promise.all(uris.map(async (uri) => ({ uri, path: await ownPath(uri, folder) })));
      const foreign = places.find(({ path }) => path === undefined);
      if (foreign) return { state, isApplied: false, refusal: `Tools can't edit ${foreign.uri}.` };
      const before = await Promise.all(uris.map((uri) => editor.text(uri)));
      const isApplied = await editor.apply(edit);
      for (const [index, { uri, path }] of places.entries()) {
        const [old = null, after] = [before[index], await editor.text(uri)];
        if (path !== undefined && old !== after) edited({ folder, path, before: old, after });
      }
      return { state, isApplied, ...(isApplied ? {} : { refusal: "VS Code refused the edit." }) };
    },
  };
}

function urisOf({ changes }: WorkspaceEdit): string[] {
  return [...new Set(changes.flatMap(urisOfChange))];
}

function urisOfChange(change: WorkspaceChange): string[] {
  return change.kind === "rename" ? [change.from, change.to] : [change.uri];
}

async function ownPath(uri: string, folder: string): Promise<string | undefined> {
  const path = pathOfFileUri(uri);
  if (path === undefined) return undefined;
  return needsLeave(await checkPath(path, folder, [folder]), "write") ? undefined : path;
}
