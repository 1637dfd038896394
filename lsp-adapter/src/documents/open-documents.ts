import { fileUri, pathOfFileUri } from "@symposium-dev/core";
import {
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
} from "vscode-languageserver-protocol/node";
import type { LanguageServer } from "../connection/language-server.js";
import type { DocumentView } from "./client-documents.js";
import { type FileChange, fileChangeTypes } from "./folder-watch.js";

interface OpenDocument {
  version: number;
  text: string;
  /** Time at which the server last received the text, in milliseconds of `performance.now()`. */
  shownAt: number;
}

/** Maximum number of open documents; closes the least recently used. */
const maxOpen = 48;
/** Maximum number of changes per notification. */
const maxChangesAtOnce = 2_000;
/** Maximum number of changed files to open at once; more changes indicate that the whole workspace changed. */
const maxOpenedAtOnce = 16;

/**
 * Documents that are open in a running language server, synchronized with what the asking client sees. All methods finish within one tick,
 * so that a request sent in the same tick refers to exactly these texts.
 */
export class OpenDocuments {
  readonly #open = new Map<string, OpenDocument>();

  constructor(
    private readonly server: LanguageServer,
    private readonly languageIdOf: (path: string) => string | undefined,
  ) {}

  get uris(): readonly string[] {
    return [...this.#open.keys()];
  }

  shown(uri: string): { readonly version: number; readonly shownAt: number } | undefined {
    return this.#open.get(uri);
  }

  /**
   * Notifies the server of changes on disk, and opens the changed files if there are only a few. Some servers reread a closed file too
   * late, or never if other files include it.
   */
  follow(changes: readonly FileChange[], disk: DocumentView): void {
    this.#notifyOf(changes);
    const living = changes.filter(({ type }) => type !== fileChangeTypes.deleted).map(({ path }) => fileUri(path));
    const served = living.length <= maxOpenedAtOnce ? living : [];
    for (const uri of served) {
      if (this.#open.has(uri) || !this.#openOne(uri, disk)) continue;
      this.server.notify(DidSaveTextDocumentNotification.type, { textDocument: { uri } });
      this.#closeOldest(uri, disk);
    }
  }

  #notifyOf(changes: readonly FileChange[]): void {
    for (let from = 0; from < changes.length; from += maxChangesAtOnce) {
      const part = changes.slice(from, from + maxChangesAtOnce).map(({ path, type }) => ({ uri: fileUri(path), type }));
      this.server.notify(DidChangeWatchedFilesNotification.type, { changes: part });
    }
  }

  /** Updates the open documents to the texts in `view`, and opens `uri` and documents with unsaved text. Returns whether a text changed. */
  show(view: DocumentView, uri?: string): boolean {
    let isChanged = false;
    for (const [each, document] of this.#open) isChanged = this.#update(each, document, view) || isChanged;
    for (const each of [...view.unsaved.keys(), ...(uri === undefined ? [] : [uri])]) {
      if (!this.#open.has(each) && this.#openOne(each, view)) isChanged ||= view.unsaved.has(each);
    }
    if (uri !== undefined) this.#closeOldest(uri, view);
    return isChanged;
  }

  #update(uri: string, document: OpenDocument, view: DocumentView): boolean {
    const text = view.textOf(uri);
    if (text === undefined) {
      this.#close(uri);
      return true;
    }
    if (text === document.text) return false;
    document.version += 1;
    document.text = text;
    document.shownAt = performance.now();
    this.server.notify(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: document.version },
      contentChanges: [{ text }],
    });
    if (!view.unsaved.has(uri)) {
      // Report the change on disk too, since servers read the file when they process other documents.
      const path = pathOfFileUri(uri);
      if (path !== undefined) this.#notifyOf([{ path, type: fileChangeTypes.changed }]);
      this.server.notify(DidSaveTextDocumentNotification.type, { textDocument: { uri } });
    }
    return true;
  }

  #openOne(uri: string, view: DocumentView): boolean {
    const languageId = this.languageIdOf(pathOfFileUri(uri) ?? uri);
    const text = languageId === undefined ? undefined : view.textOf(uri);
    if (languageId === undefined || text === undefined) return false;
    this.server.readiness.expectWork();
    this.#open.set(uri, { version: 1, text, shownAt: performance.now() });
    this.server.notify(DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId, version: 1, text } });
    return true;
  }

  #closeOldest(used: string, view: DocumentView): void {
    const document = this.#open.get(used);
    if (document) {
      this.#open.delete(used);
      this.#open.set(used, document);
    }
    for (const uri of this.#open.keys()) {
      if (this.#open.size <= maxOpen) return;
      if (uri !== used && !view.unsaved.has(uri)) this.#close(uri);
    }
  }

  #close(uri: string): void {
    this.#open.delete(uri);
    this.server.notify(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  }
}
