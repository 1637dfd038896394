import * as vscode from "vscode";
import type { ReviewBook } from "./review-book.js";

/** Scheme of documents that show a file as it was before the changes under review. */
export const baselineScheme = "symposium-baseline";

export function baselineUri(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: baselineScheme });
}

/** The left side of the diff editor. */
export class BaselineDocuments implements vscode.TextDocumentContentProvider {
  readonly #book: ReviewBook;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  constructor(book: ReviewBook) {
    this.#book = book;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const path = uri.with({ scheme: "file" }).fsPath;
    return this.#book.find(path)?.review.baseline ?? "";
  }

  changed(path: string): void {
    this.#changed.fire(baselineUri(path));
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
