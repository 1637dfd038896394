import { openDocument } from "./document-texts.js";
import * as vscode from "vscode";
import type { EditorChange } from "../all-changes/all-changes.js";

/** Who made a change of a document; `unsure` where the editor has yet to say whether it is only on disk. */
type Origin = "user" | "editor" | "unsure";

interface Seen {
  /** The document's text when it was last heard of. */
  text: string;
  /** Whether the user, or somebody who was told of, made it so; not the disk. */
  isTold: boolean;
  unsure?: (EditorChange & { readonly isTyped: boolean }) | undefined;
}

/**
 * Tells apart who changes open documents. The user types in the editor that has the focus, and undoes and redoes
 * anywhere. What changes another document is VS Code itself or an extension. A change that these make in the editor with
 * the focus cannot be told from typing, and counts as that.
 */
export class EditorChanges {
  readonly #seen = new WeakMap<vscode.TextDocument, Seen>();

  /** `edited` hears of changes that nobody typed, `typing` before one that the user typed. */
  constructor(
    private readonly edited: (change: EditorChange) => void,
    private readonly typing: (path: string) => void,
  ) {}

  /** Notes what is open; unsaved words are the user's. */
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

  /** The text of a document in which everything is the user's, or has been told of. Undefined where the disk has changed it. */
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
    // A reload from disk; or the first words of a user, of which the editor says a moment later that they are not saved.
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

/** Whether the editor has words for this file that are not on disk. */
export function isUnsaved(path: string): boolean {
  return openDocument(path)?.isDirty ?? false;
}
