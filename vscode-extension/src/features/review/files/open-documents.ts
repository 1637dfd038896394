import * as vscode from "vscode";
import { setMode } from "../../snapshots/write-file-or-link.js";
import { changedRange } from "../../documents/changed-range.js";
import type { ReviewedFiles } from "../turns/agent-changes.js";
import { DiskFiles, type KeptFiles, type OnDisk } from "./disk-files.js";
import type { FileAttributes } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";
import { parseOpaque } from "../hunks/opaque-text.js";
import type { FileTruth, TrueFiles } from "./compare-and-write-contract.js";

export class OpenDocuments implements ReviewedFiles, TrueFiles, vscode.Disposable {
  /** Text of each document when it last matched the file on disk. */
  readonly #saved = new WeakMap<vscode.TextDocument, string>();
  /** Previous text of a document that changed without being marked as dirty. VS Code may mark the document a moment later. */
  readonly #unsure = new WeakMap<vscode.TextDocument, string>();
  /** Documents with unsaved changes, which answers must leave unsaved. */
  readonly #unsaved = new WeakSet<vscode.TextDocument>();
  readonly #disk = new DiskFiles();
  readonly #disposables: readonly vscode.Disposable[];

  constructor(private readonly kept: KeptFiles) {
    for (const document of vscode.workspace.textDocuments) this.#note(document);
    this.#disposables = [
      vscode.workspace.onDidOpenTextDocument((document) => this.#note(document)),
      vscode.workspace.onDidSaveTextDocument((document) => this.#note(document)),
      vscode.workspace.onDidChangeTextDocument((change) => this.#noteChange(change)),
    ];
  }

  /** Returns the text on disk or its placeholder; null for no file, undefined for a folder or a very large file. */
  async read(path: string): Promise<FileText | undefined> {
    return (await this.#disk.look(path)).text;
  }

  look(path: string): Promise<OnDisk> {
    return this.#disk.look(path);
  }

  asLink(path: string): void {
    this.#disk.asLink(path);
  }

  wasMarked(path: string, text: string): void {
    this.#disk.wasMarked(path, text);
  }

  /** Records that an open document is about to get changes that the user saves or discards. */
  leaveUnsaved(path: string): void {
    const document = openDocument(path);
    if (document) this.#unsaved.add(document);
  }

  async canWrite(text: FileText): Promise<boolean> {
    const opaque = parseOpaque(text);
    return opaque?.kind !== "file" || (await this.kept.content(opaque.hash)) !== undefined;
  }

  async truth(path: string): Promise<FileTruth> {
    const onDisk = await this.#disk.look(path);
    const document = openDocument(path);
    if (document?.isDirty !== true) return { ...onDisk, isTorn: false };
    const text = document.getText();
    const saved = this.#saved.get(document);
    const isTorn = !isSameButForLineEnds(onDisk.text, text) && !isSameButForLineEnds(onDisk.text, saved);
    const { text: after, writtenAtMs } = onDisk;
    const isKnown = isTorn && saved !== undefined && after !== undefined;
    return { text, isTorn, isUnsaved: true, ...(isKnown && { onDisk: { before: saved, after, writtenAtMs } }) };
  }

  /** Edits an open document instead of the file, so that the editor's undo works. Saves the document unless it had unsaved changes. */
  async write(path: string, text: FileText, expected: FileText, attributes?: FileAttributes): Promise<boolean> {
    const uri = vscode.Uri.file(path);
    const edit = new vscode.WorkspaceEdit();
    const onDisk = await this.#disk.look(path);
    const document = openDocument(path);
    const now = document?.isDirty === true ? await this.truth(path) : { ...onDisk, isTorn: false };
    if (now.isTorn || now.text !== expected) return false;
    if (text === expected) return true;
    if (!(await this.#disk.leadsAsBefore(path, onDisk.text))) return false;
    if (parseOpaque(text) || parseOpaque(expected))
      return this.#disk.place(path, text, onDisk, { kept: this.kept, attributes });
    if (text === null) {
      edit.deleteFile(uri, { ignoreIfNotExists: true });
      return vscode.workspace.applyEdit(edit);
    }
    if (onDisk.text === null) {
      edit.createFile(uri, { contents: this.#disk.bytesOf(path, text, attributes?.hasMark), overwrite: false });
      if (!(await vscode.workspace.applyEdit(edit))) return false;
      const mode = attributes?.mode ?? (await this.kept.lastMode(path));
      await setMode(path, mode).catch(() => undefined);
      return true;
    }
    // A document that has no unsaved changes but differs from the disk is outdated, so don't edit it. An edit would also change all line
    // ends to the document's.
    if (document?.isDirty === true) this.#unsaved.add(document);
    if (document && (document.isDirty || (document.getText() === onDisk.text && hasOnlyEnds(text, document.eol))))
      return this.#edit(path, document, text, onDisk.text);
    return this.#disk.replace(path, text, onDisk.text, attributes !== undefined);
  }

  setAttributes(path: string, wanted: FileAttributes, expected: FileAttributes): Promise<boolean> {
    // Don't change the attributes of a document with unsaved changes: saving would restore its byte order mark.
    if (openDocument(path)?.isDirty === true) return Promise.resolve(false);
    return this.#disk.setAttributes(path, wanted, expected);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #edit(
    path: string,
    document: vscode.TextDocument,
    text: string,
    onDisk: FileText | undefined,
  ): Promise<boolean> {
    const { from, to, inserted } = changedRange(document.getText(), text);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(document.positionAt(from), document.positionAt(to)), inserted);
    // The editor rejects the edit if the document has a newer version.
    if (!(await vscode.workspace.applyEdit(edit))) return false;
    // Saving would overwrite a newer file on disk; left unsaved, the editor asks the user on save.
    if ((await this.read(path)) !== onDisk) return false;
    return document.isDirty && !this.#unsaved.has(document) ? document.save() : true;
  }

  #note(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file" || document.isDirty) return;
    this.#unsaved.delete(document);
    this.#unsure.delete(document);
    this.#saved.set(document, document.getText());
  }

  /**
   * Records a document change. When the user starts typing, VS Code sends the new text first, and then a second event without changes that
   * marks the document as dirty.
   */
  #noteChange({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) {
      if (document.isDirty) this.#unsure.delete(document);
      else this.#note(document);
      return;
    }
    const before = this.#unsure.get(document);
    // If VS Code didn't mark the document as dirty before the next change, the earlier text was also on disk.
    if (before !== undefined) this.#saved.set(document, before);
    if (document.isDirty || document.uri.scheme !== "file") this.#unsure.delete(document);
    else this.#unsure.set(document, document.getText());
  }
}

export function openDocument(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => uri.scheme === "file" && !isClosed && uri.fsPath === path,
  );
}

function hasOnlyEnds(text: string, eol: vscode.EndOfLine): boolean {
  return eol === vscode.EndOfLine.LF ? !text.includes("\r") : !/(?<!\r)\n|\r(?!\n)/.test(text);
}

/** A document has uniform line ends, even if its file doesn't. */
function isSameButForLineEnds(onDisk: FileText | undefined, text: string | undefined): boolean {
  if (onDisk === undefined || onDisk === null || text === undefined) return false;
  return onDisk === text || onDisk.replaceAll("\r\n", "\n") === text.replaceAll("\r\n", "\n");
}
