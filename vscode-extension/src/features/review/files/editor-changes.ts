import { openDocument } from "./open-documents.js";
import * as vscode from "vscode";
import type { EditorChange } from "../all-changes/find-unreported-changes.js";

/** Author of a document change; `unsure` until the editor reports whether the document is dirty. */
type Origin = "user" | "editor" | "unsure";

interface Seen {
  text: string;
  /** True if the text came from the user or from a reported change; false if it came from the disk. */
  isTold: boolean;
  unsure?: (EditorChange & { readonly isTyped: boolean }) | undefined;
}

/**
 * Attributes document changes to the user or to VS Code and extensions. Changes in the focused editor are attributed to the user, and so
 * are undo and redo. Extensions' changes in the focused editor can't be distinguished from typing.
 */
export class EditorChanges {
  readonly #seen = new WeakMap<vscode.TextDocument, Seen>();

  /** `edited` receives changes that the user didn't type; `typing` is called before a change that the user typed. */
  constructor(
    private readonly edited: (change: EditorChange) => void,
    private readonly typing: (path: string) => void,
  ) {}

  begin(): void {
    for (const document of vscode.workspace.textDocuments) this.opened(document);
  }

  opened(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file") return;
    this.#seen.set(document, { text: document.getText(), isTold: document.isDirty });
  }

  saved(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file") return;
    this.#seen.set(document, { text: document.getText(), isTold: true });
  }

  /** Returns a document's text if the user made or the extension reported every change in it; undefined after a change from disk. */
  typed(path: string): string | undefined {
    const document = openDocument(path);
    const seen = document && this.#seen.get(document);
    return seen?.isTold === true ? seen.text : undefined;
  }

  changed({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): Origin {
    const { fsPath: path } = document.uri;
    const seen = this.#seen.get(document) ?? { text: document.getText(), isTold: document.isDirty };
    this.#seen.set(document, seen);
    if (contentChanges.length === 0) {
      const { unsure } = seen;
      seen.unsure = undefined;
      return unsure && document.isDirty ? this.#told(seen, unsure) : "unsure";
    }
    const isTyped = reason !== undefined || vscode.window.activeTextEditor?.document === document;
    const change = { path, before: seen.text, after: document.getText(), isTyped };
    seen.text = change.after;
    if (document.isDirty) return this.#told(seen, change);
    // The change is either a reload from disk or the start of the user's typing, for which VS Code marks the document as dirty a moment
    // later.
    seen.unsure = change;
    seen.isTold = false;
    return "unsure";
  }

  #told(seen: Seen, { isTyped, ...change }: EditorChange & { readonly isTyped: boolean }): Origin {
    seen.isTold = true;
    seen.unsure = undefined;
    if (isTyped) this.typing(change.path);
    else this.edited(change);
    return isTyped ? "user" : "editor";
  }
}

export function isUnsaved(path: string): boolean {
  return openDocument(path)?.isDirty ?? false;
}
