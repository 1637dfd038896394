import * as vscode from "vscode";
import type { ChangedFile } from "../../../../protocol/index.js";
import type { ReviewBook } from "../review-book.js";

export class FollowAgent {
  readonly #lines = new Map<string, ReadonlyMap<string, number>>();
  readonly #hunks = new Map<string, ReadonlySet<string>>();
  /** Editor column for files that the agent changes. The first file opens beside the user's editor, later files in the same column. */
  #column: vscode.ViewColumn | undefined;

  /** `isWanted` returns whether the tab's agent is working and the user follows it. */
  constructor(
    private readonly book: Pick<ReviewBook, "find">,
    private readonly isWanted: (tabId: string) => boolean,
  ) {}

  changed(tabId: string, files: readonly ChangedFile[]): void {
    const before = this.#lines.get(tabId);
    const now = new Map(files.map(({ uri, added, removed }) => [uri, added + removed]));
    this.#lines.set(tabId, now);
    if (!this.isWanted(tabId)) return;
    // Show a file only if its number of changed lines grew. The number shrinks when the user keeps or undoes changes.
    const changed = files.findLast(({ uri }) => (now.get(uri) ?? 0) > (before?.get(uri) ?? 0));
    if (changed && changed.state !== "deleted") void this.#show(vscode.Uri.parse(changed.uri));
  }

  async #show(uri: vscode.Uri): Promise<void> {
    const hunks = this.book.find(uri.fsPath)?.review.hunks ?? [];
    const seen = this.#hunks.get(uri.fsPath);
    const hunk = hunks.find(({ id }) => seen?.has(id) !== true) ?? hunks.at(-1);
    this.#hunks.set(uri.fsPath, new Set(hunks.map(({ id }) => id)));
    const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
    const isOpen = vscode.window.tabGroups.all.some(({ viewColumn }) => viewColumn === this.#column);
    const beside = vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const viewColumn = shown?.viewColumn ?? (isOpen ? this.#column : undefined) ?? beside;
    try {
      const editor = await vscode.window.showTextDocument(uri, { viewColumn, preserveFocus: true, preview: true });
      if (!shown) this.#column = editor.viewColumn;
      if (!hunk) return;
      const line = Math.min(hunk.start, editor.document.lineCount - 1);
      const range = new vscode.Range(line, 0, line, 0);
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    } catch {
      // The file isn't a text file, or has already been deleted.
    }
  }
}
