import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { baselineUri } from "./marks/baseline-documents.js";
import { parseOpaque } from "./hunks/opaque-text.js";
import { listFiles } from "./marks/file-list.js";
import type { Review } from "./review.js";
import type { ReviewCommandName } from "./store/review-file-paths.js";

interface Target {
  readonly path?: string;
  readonly hunkId?: string;
  readonly tabId?: string;
}

/** Returns the target of a command. Code lenses and pages pass a target; menus and keys pass a URI or nothing. */
function targetOf(argument: unknown): Target {
  if (argument instanceof vscode.Uri) return { path: argument.fsPath };
  if (typeof argument === "object" && argument !== null) {
    const entries = Object.entries(argument).filter(([, value]) => typeof value === "string");
    return Object.fromEntries(entries);
  }
  return {};
}

function pathOf(argument: unknown): string | undefined {
  return targetOf(argument).path ?? vscode.window.activeTextEditor?.document.uri.fsPath;
}

/** Returns the review's commands. If called from the palette, a command applies to the file in the active editor. */
export function reviewCommands(review: Review): Readonly<Record<ReviewCommandName, (argument: unknown) => unknown>> {
  return {
    keepHunk: async (argument) => {
      const { path, hunkId } = hunkAt(review, argument);
      if (path === undefined || hunkId === undefined || !(await review.keep(path, hunkId))) sayNothingThere();
    },
    undoHunk: async (argument) => {
      const { path, hunkId } = hunkAt(review, argument);
      if (path === undefined || hunkId === undefined || !(await review.undo(path, hunkId))) sayNothingThere();
    },
    keepFile: async (argument) => {
      const path = pathOf(argument);
      if (path === undefined || !(await review.keep(path))) sayNothingThere();
    },
    undoFile: async (argument) => {
      const path = pathOf(argument);
      if (path === undefined || !(await review.undo(path))) sayNothingThere();
    },
    keepAll: () => review.answer("keep", undefined),
    undoAll: () => review.answer("undo", undefined),
    openFile: (argument) => openFile(review, pathOf(argument)),
    openAll: (argument) => openAll(review, targetOf(argument).tabId),
    nextHunk: () => goToHunk(review, 1),
    previousHunk: () => goToHunk(review, -1),
    toggleAll: () => review.allChanges.toggle(),
    listFiles: () => listFiles(review),
    comment: (argument) => commentOn(review, argument),
    addComment: (argument) => review.comments.add(argument),
    sendComments: (argument) => review.comments.send(argument),
    editComment: (argument) => review.comments.edit(argument),
    saveComment: (argument) => review.comments.save(argument),
    cancelComment: (argument) => review.comments.cancelEdit(argument),
    deleteComment: (argument) => review.comments.remove(argument),
  };
}

function hunkAt(review: Review, argument: unknown): Target {
  const target = targetOf(argument);
  if (target.hunkId !== undefined) return target;
  const editor = vscode.window.activeTextEditor;
  if (!editor) return {};
  const path = editor.document.uri.fsPath;
  const line = editor.selection.active.line;
  const hunks = review.book.find(path)?.review.hunks ?? [];
  const hunk = hunks.find(({ start, end }) => line >= start && line < Math.max(end, start + 1));
  return { path, ...(hunk ? { hunkId: hunk.id } : {}) };
}

function sayNothingThere(): void {
  vscode.window.setStatusBarMessage(l10n.t("No change to review here."), 4_000);
}

async function openFile(review: Review, path: string | undefined): Promise<void> {
  const state = path === undefined ? undefined : review.book.find(path)?.review.state;
  if (path === undefined || state === undefined) {
    sayNothingThere();
    return;
  }
  const file = vscode.Uri.file(path);
  const name = vscode.workspace.asRelativePath(file);
  // There is no diff by lines for a binary file or for a file whose text is unchanged, so open the file.
  if (state === "created" || (state === "modified" && isWhole(review, path)))
    await vscode.commands.executeCommand("vscode.open", file);
  else if (state === "deleted") await vscode.commands.executeCommand("vscode.open", baselineUri(path));
  else {
    const title = l10n.t("{0} (before the changes ↔ now)", name);
    await vscode.commands.executeCommand("vscode.diff", baselineUri(path), file, title, { preview: true });
  }
}

function isWhole(review: Review, path: string): boolean {
  const { baseline = null, current = null } = review.book.find(path)?.review ?? {};
  return baseline === current || parseOpaque(baseline) !== undefined || parseOpaque(current) !== undefined;
}

async function openAll(review: Review, tabId: string | undefined): Promise<void> {
  const files = review.book.files(tabId);
  const [only] = files;
  if (!only) {
    sayNothingThere();
    return;
  }
  if (files.length === 1) {
    await openFile(review, only.path);
    return;
  }
  await review.changesEditor.open(files);
}

async function goToHunk(review: Review, direction: 1 | -1): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const line = editor?.selection.active.line ?? 0;
  const hunks = (editor && review.book.find(editor.document.uri.fsPath)?.review.hunks) ?? [];
  const starts = hunks.map(({ start }) => start);
  const next = direction === 1 ? starts.find((start) => start > line) : starts.findLast((start) => start < line);
  if (editor && next !== undefined) {
    reveal(editor, next);
    return;
  }
  const paths = review.book.files().map(({ path }) => path);
  const at = editor ? paths.indexOf(editor.document.uri.fsPath) : -1;
  const path = paths.at((at + direction + paths.length) % Math.max(paths.length, 1));
  if (path === undefined || review.book.find(path)?.review.state === "deleted") {
    sayNothingThere();
    return;
  }
  const other = await vscode.window.showTextDocument(vscode.Uri.file(path));
  const first = review.book.find(path)?.review.hunks.at(direction === 1 ? 0 : -1);
  reveal(other, first?.start ?? 0);
}

/**
 * Opens the comment field below the given change, or below the change at the cursor. If the change already has a thread, expands or
 * collapses the thread.
 */
async function commentOn(review: Review, argument: unknown): Promise<void> {
  const { path, hunkId } = hunkAt(review, argument);
  const hunk = path === undefined ? undefined : review.book.find(path)?.review.hunks.find(({ id }) => id === hunkId);
  if (path === undefined || !hunk) {
    sayNothingThere();
    return;
  }
  const isShown = vscode.window.activeTextEditor?.document.uri.fsPath === path;
  const editor =
    (isShown && vscode.window.activeTextEditor) || (await vscode.window.showTextDocument(vscode.Uri.file(path)));
  const last = editor.document.lineCount - 1;
  const line = Math.min(Math.max(hunk.end - 1, hunk.start), last);
  const { end } = editor.document.lineAt(line).range;
  editor.selection = new vscode.Selection(new vscode.Position(Math.min(hunk.start, last), 0), end);
  // Run VS Code's command, because only VS Code knows which threads are collapsed.
  await vscode.commands.executeCommand("workbench.action.addComment");
}

function reveal(editor: vscode.TextEditor, line: number): void {
  const position = new vscode.Position(Math.min(line, editor.document.lineCount - 1), 0);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
