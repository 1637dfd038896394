import { RequestFailure, RpcError } from "@symposium-dev/core";
import { loadUntrustedBytes, systemCode } from "@symposium-dev/core/node";
import * as vscode from "vscode";
import { changedRange } from "./changed-range.js";
import type { OpenDocument, OpenDocuments } from "./documents.js";

const isCaseSensitive = process.platform !== "win32" && process.platform !== "darwin";

export const vsCodeOpenDocuments: OpenDocuments = {
  find(paths) {
    const names = paths.map(comparable);
    const found = vscode.workspace.textDocuments.find(
      ({ uri, isClosed }) => uri.scheme === "file" && !isClosed && names.includes(comparable(uri.fsPath)),
    );
    return found && new VsCodeDocument(found);
  },

  async decode(path, bytes) {
    const encoding = markedEncoding(bytes);
    if (encoding !== undefined) return vscode.workspace.decode(bytes, { encoding });
    return vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
  },

  async encode(path, text, old) {
    const encoding = old && markedEncoding(old);
    if (encoding !== undefined) return vscode.workspace.encode(text, { encoding });
    return vscode.workspace.encode(text, { uri: vscode.Uri.file(path) });
  },
};

/** Maximum size of a file that is read only to find a position in it. */
const maxSearchedBytes = 4 * 1024 * 1024;

/**
 * Returns a file's text including unsaved changes. Returns null for a missing file; undefined if the file isn't regular, is too large or
 * can't be read.
 */
export async function shownText(path: string): Promise<string | null | undefined> {
  const open = vsCodeOpenDocuments.find([path]);
  if (open?.isDirty === true) return open.text;
  try {
    return await vsCodeOpenDocuments.decode(path, await loadUntrustedBytes(path, maxSearchedBytes));
  } catch (error) {
    return systemCode(error) === "ENOENT" ? null : undefined;
  }
}

class VsCodeDocument implements OpenDocument {
  constructor(private readonly document: vscode.TextDocument) {}

  get text(): string {
    return this.document.getText();
  }

  get isDirty(): boolean {
    return this.document.isDirty;
  }

  async replace(text: string): Promise<string> {
    const { document } = this;
    const end = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
    const { from, to, inserted } = changedRange(document.getText(), text.replaceAll(/\r\n|\r|\n/g, end));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(document.positionAt(from), document.positionAt(to)), inserted);
    if (!(await vscode.workspace.applyEdit(edit))) {
      throw new RequestFailure(RpcError.internal(`The editor refused to change ${document.uri.fsPath}.`));
    }
    return document.getText();
  }

  async save(): Promise<string | undefined> {
    const isSaved = !this.document.isDirty || (await this.document.save());
    return isSaved ? this.document.getText() : undefined;
  }
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf8bom";
  if (first === 0xff && second === 0xfe) return "utf16le";
  return first === 0xfe && second === 0xff ? "utf16be" : undefined;
}

function comparable(path: string): string {
  return isCaseSensitive ? path : path.toLowerCase();
}
