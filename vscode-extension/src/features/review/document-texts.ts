import * as vscode from "vscode";
import type { ReviewedFiles } from "./agent-changes.js";
import type { FileText } from "./engine/file-review.js";

/** Larger files are not reviewed. In bytes. */
const maxBytes = 20 * 1024 * 1024;

/** Files as VS Code sees them: the disk for what agents did, documents for what the user has open. */
export class DocumentTexts implements ReviewedFiles {
  /** The text on disk; null where there is no file, undefined for a folder, a binary or a very large file. */
  async read(path: string): Promise<FileText | undefined> {
    const uri = vscode.Uri.file(path);
    let bytes: Uint8Array;
    try {
      const { type, size } = await vscode.workspace.fs.stat(uri);
      if ((type & vscode.FileType.File) === 0 || size > maxBytes) return undefined;
      bytes = await vscode.workspace.fs.readFile(uri);
    } catch (error) {
      return error instanceof vscode.FileSystemError && error.code === "FileNotFound" ? null : undefined;
    }
    if (bytes.subarray(0, 8_000).includes(0)) return undefined;
    try {
      // Without the byte order mark, as documents have their text; the editor writes it again.
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return undefined;
    }
  }

  /**
   * Gives the file this text, or removes it for null. An open document is edited, so that the editor's undo takes the
   * change back, and saved. False where the editor refused.
   */
  async write(path: string, text: FileText): Promise<boolean> {
    const uri = vscode.Uri.file(path);
    const edit = new vscode.WorkspaceEdit();
    if (text === null) {
      edit.deleteFile(uri, { ignoreIfNotExists: true });
      return vscode.workspace.applyEdit(edit);
    }
    const isThere = (await this.read(path)) !== null;
    if (!isThere) {
      edit.createFile(uri, { contents: new TextEncoder().encode(text), overwrite: false });
      return vscode.workspace.applyEdit(edit);
    }
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.getText() === text) return true;
    replaceChangedPart(edit, document, text);
    if (!(await vscode.workspace.applyEdit(edit))) return false;
    return document.isDirty ? document.save() : true;
  }
}

/** Replaces only what differs, so that cursors, folding and the undo step stay small. */
function replaceChangedPart(edit: vscode.WorkspaceEdit, document: vscode.TextDocument, text: string): void {
  const old = document.getText();
  let start = 0;
  const shorter = Math.min(old.length, text.length);
  while (start < shorter && old[start] === text[start]) start++;
  // A line ending is one position in the editor: never begin or end between its two characters.
  if (start > 0 && old[start - 1] === "\r") start--;
  let tail = 0;
  while (tail < shorter - start && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  if (tail > 0 && old[old.length - tail] === "\n") tail--;
  const range = new vscode.Range(document.positionAt(start), document.positionAt(old.length - tail));
  edit.replace(document.uri, range, text.slice(start, text.length - tail));
}
