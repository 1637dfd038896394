import * as vscode from "vscode";
import type { ReviewBook } from "./review-book.js";

/** "Keep" and "Undo" above each change of an agent, in the file itself. */
export class HunkLenses implements vscode.CodeLensProvider {
  readonly #book: ReviewBook;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(
    book: ReviewBook,
    private readonly isMarked: () => boolean,
  ) {
    this.#book = book;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.isMarked() ? this.#book.find(document.uri.fsPath)?.review : undefined;
    // While the document is ahead of the book, the lines of its changes are not known.
    if (!review || review.current !== document.getText()) return [];
    return review.hunks.flatMap(({ id, start, added, removed }, index) => {
      const line = Math.min(start, document.lineCount - 1);
      const range = new vscode.Range(line, 0, line, 0);
      const args = [{ path: document.uri.fsPath, hunkId: id }];
      const counts = `+${added.length} −${removed.length}`;
      return [
        new vscode.CodeLens(range, {
          title: vscode.l10n.t("$(check)  Keep"),
          tooltip: vscode.l10n.t("Keep this change of the agent ({0})", counts),
          command: "symposium.review.keepHunk",
          arguments: args,
        }),
        new vscode.CodeLens(range, {
          title: vscode.l10n.t("$(discard)  Undo"),
          tooltip: vscode.l10n.t("Put the lines back as they were before this change"),
          command: "symposium.review.undoHunk",
          arguments: args,
        }),
        new vscode.CodeLens(range, {
          title: vscode.l10n.t("Change {0} of {1}, {2}", index + 1, review.hunks.length, counts),
          tooltip: vscode.l10n.t("Compare the file with what it was"),
          command: "symposium.review.openFile",
          arguments: args,
        }),
      ];
    });
  }

  changed(): void {
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
