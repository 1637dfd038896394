import * as vscode from "vscode";
import type { CommentThreads } from "../comments/comment-threads.js";
import { HunkDecorations, HunkLenses } from "./hunk-marks.js";
import type { ReviewBook } from "../review-book.js";

export class ReviewMarks implements vscode.Disposable {
  readonly #lenses: HunkLenses;
  readonly #decorations: HunkDecorations;
  readonly #disposables: readonly { dispose(): unknown }[];

  constructor(
    private readonly book: ReviewBook,
    private readonly isMarked: () => boolean,
    showsRemoved: () => boolean,
    private readonly comments: CommentThreads,
  ) {
    this.#lenses = new HunkLenses(book, isMarked);
    this.#decorations = new HunkDecorations(book, isMarked, showsRemoved);
    this.#disposables = [
      this.#lenses,
      this.#decorations,
      comments,
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this.#lenses),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#decorations.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.setContext()),
    ];
  }

  refresh(path?: string): void {
    this.#lenses.changed();
    this.#decorations.refresh(path);
    this.comments.refresh(path);
  }

  redraw(path: string): void {
    this.#decorations.refresh(path);
  }

  setContext(): void {
    const path = vscode.window.activeTextEditor?.document.uri.fsPath;
    const isMarked = this.isMarked() && path !== undefined && this.book.isOpen(path);
    void vscode.commands.executeCommand("setContext", "symposium.review.fileHasChanges", isMarked);
    void vscode.commands.executeCommand("setContext", "symposium.review.hasChanges", this.book.files().length > 0);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
