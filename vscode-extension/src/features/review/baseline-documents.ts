import * as vscode from "vscode";
import type { ReviewBook } from "./review-book.js";

/** Scheme of documents that show a file as it was before the changes under review. */
export const baselineScheme = "symposium-baseline";

/** Texts that are shown beside files are kept for editors that are still open; beyond that the oldest are empty. */
const maxShown = 50;

export function baselineUri(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: baselineScheme });
}

/** The left side of the diff editor. */
export class BaselineDocuments implements vscode.TextDocumentContentProvider {
  readonly #book: ReviewBook;
  readonly #shown = new Map<string, string>();
  #lastShown = 0;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  constructor(book: ReviewBook) {
    this.#book = book;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    if (uri.query !== "") return this.#shown.get(uri.query) ?? "";
    const path = uri.with({ scheme: "file" }).fsPath;
    return this.#book.find(path)?.review.baseline ?? "";
  }

  /** A document with some other text of the file. */
  show(path: string, text: string): vscode.Uri {
    const id = String(++this.#lastShown);
    this.#shown.set(id, text);
    for (const old of [...this.#shown.keys()].slice(0, -maxShown)) this.#shown.delete(old);
    return baselineUri(path).with({ query: id });
  }

  changed(path: string): void {
    this.#changed.fire(baselineUri(path));
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
