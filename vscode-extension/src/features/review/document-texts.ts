import { chmod, readFile, readlink } from "node:fs/promises";
import { dirname } from "node:path";
import { atomicWrite, checkPath, projectFileMode } from "@symposium-dev/core/node";
import * as vscode from "vscode";
import { changedRange } from "../documents/changed-range.js";
import { placeFile } from "../snapshots/place-file.js";
import type { ReviewedFiles } from "./agent-changes.js";
import type { FileText } from "./engine/file-review.js";
import { byteOrderMark, decodedText, isMarked, opaqueFile, opaqueLink, parseOpaque } from "./engine/opaque-text.js";
import type { FileTruth, TrueFiles } from "./true-files.js";

/** Larger files are not reviewed. In bytes. */
const maxBytes = 20 * 1024 * 1024;

interface OnDisk {
  readonly text: FileText | undefined;
  readonly writtenAtMs?: number;
}

/** What is kept of files that are not on disk any more. */
interface KeptFiles {
  /** By its SHA-256 in hex; undefined where it is not kept. */
  content(hash: string): Promise<Uint8Array | undefined>;
  /** The permission bits that a file had when it was last there. */
  lastMode(path: string): Promise<number | undefined>;
}

/** Files as VS Code sees them: the disk for what agents did, documents for what the user has open. */
export class DocumentTexts implements ReviewedFiles, TrueFiles, vscode.Disposable {
  /** What a document had when it last was what is on disk: later on, only the disk may differ from it. */
  readonly #saved = new WeakMap<vscode.TextDocument, string>();
  /** A text that came while its document counted as clean: the editor may say a moment later that it is not. */
  readonly #unsure = new WeakMap<vscode.TextDocument, string>();
  /** Files with a byte order mark: whether it was there when they were last read, and the text that they last had behind one. */
  readonly #marks = new Map<string, { readonly isThere: boolean; readonly text: FileText | undefined }>();
  /** Paths at which a link is a thing of its own. */
  readonly #links = new Set<string>();
  /**
   * Where folders led when a file in them was first read. An agent that makes a link of one later on does not get
   * answers of the user written to where that leads. Undefined where that could not be told.
   */
  readonly #folders = new Map<string, Promise<string | undefined>>();
  readonly #disposables: readonly vscode.Disposable[];

  constructor(private readonly kept: KeptFiles) {
    for (const document of vscode.workspace.textDocuments) this.#note(document);
    this.#disposables = [
      vscode.workspace.onDidOpenTextDocument((document) => this.#note(document)),
      vscode.workspace.onDidSaveTextDocument((document) => this.#note(document)),
      vscode.workspace.onDidChangeTextDocument((change) => this.#noteChange(change)),
    ];
  }

  /** The text on disk, or what stands for it; null where there is no file, undefined for a folder or a very large file. */
  async read(path: string): Promise<FileText | undefined> {
    return (await this.#onDisk(path)).text;
  }

  asLink(path: string): void {
    this.#links.add(path);
  }

  wasMarked(path: string, text: string): void {
    this.#marks.set(path, { isThere: this.#marks.get(path)?.isThere ?? false, text });
  }

  async canWrite(text: FileText): Promise<boolean> {
    const opaque = parseOpaque(text);
    return opaque?.kind !== "file" || (await this.kept.content(opaque.hash)) !== undefined;
  }

  async truth(path: string): Promise<FileTruth> {
    const onDisk = await this.#onDisk(path);
    const document = openDocument(path);
    if (document?.isDirty !== true) return { ...onDisk, isTorn: false };
    const text = document.getText();
    const saved = this.#saved.get(document);
    const isTorn = !isSameButForLineEnds(onDisk.text, text) && !isSameButForLineEnds(onDisk.text, saved);
    return { text, isTorn };
  }

  /** An open document is edited, so that the editor's undo takes the change back, and saved. */
  async write(path: string, text: FileText, expected: FileText): Promise<boolean> {
    const uri = vscode.Uri.file(path);
    const edit = new vscode.WorkspaceEdit();
    const onDisk = await this.#onDisk(path);
    const document = openDocument(path);
    const now = document?.isDirty === true ? await this.truth(path) : { ...onDisk, isTorn: false };
    if (now.isTorn || now.text !== expected) return false;
    if (text === expected) return true;
    if ((await this.#folders.get(dirname(path))) !== (await leadOf(dirname(path)))) return false;
    if (parseOpaque(text) || parseOpaque(expected)) return this.#place(path, text, onDisk.text);
    if (text === null) {
      edit.deleteFile(uri, { ignoreIfNotExists: true });
      return vscode.workspace.applyEdit(edit);
    }
    if (onDisk.text === null) {
      edit.createFile(uri, { contents: this.#bytesOf(path, text), overwrite: false });
      if (!(await vscode.workspace.applyEdit(edit))) return false;
      const mode = await this.kept.lastMode(path);
      if (mode !== undefined) await chmod(path, mode).catch(() => undefined);
      return true;
    }
    // A clean document whose text is not the disk's is behind it, or has line ends of its own.
    if (document && (document.isDirty || document.getText() === onDisk.text))
      return this.#edit(path, document, text, onDisk.text);
    return this.#replace(path, text, onDisk.text);
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
    // The editor refuses an edit of a text that it has in a newer version.
    if (!(await vscode.workspace.applyEdit(edit))) return false;
    // Saving would write over what came to disk meanwhile: the editor asks the user instead, when it is saved.
    if ((await this.read(path)) !== onDisk) return false;
    return document.isDirty ? document.save() : true;
  }

  async #place(path: string, text: FileText, onDisk: FileText | undefined): Promise<boolean> {
    const opaque = parseOpaque(text);
    const bytes = opaque?.kind === "file" ? await this.kept.content(opaque.hash) : this.#bytesOf(path, text ?? "");
    const what = opaque?.kind === "link" ? opaque : text === null ? null : bytes;
    if (what === undefined) return false;
    const beforeReplacing = async (): Promise<void> => {
      if ((await this.read(path)) !== onDisk) throw new Error(`${path} was changed meanwhile`);
    };
    return placeFile(path, what, { mode: await this.kept.lastMode(path), beforeReplacing }).then(
      () => true,
      () => false,
    );
  }

  async #replace(path: string, text: string, onDisk: FileText | undefined): Promise<boolean> {
    const beforeReplacing = async (): Promise<void> => {
      if (decodedText(await readFile(path)) !== onDisk) throw new Error(`${path} was changed meanwhile`);
    };
    const options = { newFileMode: projectFileMode, beforeReplacing };
    return atomicWrite(path, this.#bytesOf(path, text), options).then(
      () => true,
      () => false,
    );
  }

  async #onDisk(path: string): Promise<OnDisk> {
    const uri = vscode.Uri.file(path);
    const folder = dirname(path);
    if (!this.#folders.has(folder)) this.#folders.set(folder, leadOf(folder));
    try {
      const { type, size, mtime } = await vscode.workspace.fs.stat(uri);
      const isLink = (type & vscode.FileType.SymbolicLink) !== 0;
      if (isLink && (this.#links.has(path) || (type & vscode.FileType.File) === 0))
        return { text: opaqueLink(await readlink(path)) };
      if ((type & vscode.FileType.File) === 0 || size > maxBytes) return { text: undefined };
      const bytes = await vscode.workspace.fs.readFile(uri);
      const text = decodedText(bytes);
      const known = this.#marks.get(path);
      if (isMarked(bytes)) this.#marks.set(path, { isThere: true, text });
      else if (known) this.#marks.set(path, { ...known, isThere: false });
      return { text: text ?? opaqueFile(await hashOf(bytes)), writtenAtMs: mtime };
    } catch (error) {
      return { text: error instanceof vscode.FileSystemError && error.code === "FileNotFound" ? null : undefined };
    }
  }

  #bytesOf(path: string, text: string): Uint8Array {
    const bytes = new TextEncoder().encode(text);
    const known = this.#marks.get(path);
    return known?.isThere === true || known?.text === text ? Buffer.concat([byteOrderMark, bytes]) : bytes;
  }

  #note(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file" || document.isDirty) return;
    this.#unsure.delete(document);
    this.#saved.set(document, document.getText());
  }

  /** Of the first words that a user types, the editor tells the text first and then, without one, that it is not saved. */
  #noteChange({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) {
      if (document.isDirty) this.#unsure.delete(document);
      else this.#note(document);
      return;
    }
    const before = this.#unsure.get(document);
    // Nothing was said of it until the next change: it was on disk, too.
    if (before !== undefined) this.#saved.set(document, before);
    if (document.isDirty || document.uri.scheme !== "file") this.#unsure.delete(document);
    else this.#unsure.set(document, document.getText());
  }
}

/** Where a folder leads with all links followed, though it need not exist. Undefined where that cannot be told. */
function leadOf(folder: string): Promise<string | undefined> {
  return checkPath(folder, folder, []).then(
    ({ real }) => real,
    () => undefined,
  );
}

/** In a thread of the system's. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(bytes))).toString("hex");
}

function openDocument(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => uri.scheme === "file" && !isClosed && uri.fsPath === path,
  );
}

/** A document has the same line end everywhere, whatever its file has. */
function isSameButForLineEnds(onDisk: FileText | undefined, text: string | undefined): boolean {
  if (onDisk === undefined || onDisk === null || text === undefined) return false;
  return onDisk === text || onDisk.replaceAll("\r\n", "\n") === text.replaceAll("\r\n", "\n");
}
