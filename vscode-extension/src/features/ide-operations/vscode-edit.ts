import type { TextEdit, WorkspaceEdit } from "@symposium-dev/core";
import * as vscode from "vscode";
import { toVsUri } from "./vscode-uri.js";

/** Makes an edit in VS Code, so that it can be undone there, and saves what it changed. False where VS Code refuses. */
export async function makeEdit({ changes }: WorkspaceEdit): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  const edited: vscode.Uri[] = [];
  for (const change of changes) {
    switch (change.kind) {
      case "edit": {
        const uri = toVsUri(change.uri);
        for (const one of change.edits) edit.replace(uri, toVsRange(one), one.newText);
        edited.push(uri);
        break;
      }
      case "create":
        edit.createFile(toVsUri(change.uri), { overwrite: change.overwrite === true });
        break;
      case "rename":
        edit.renameFile(toVsUri(change.from), toVsUri(change.to));
        edited.push(toVsUri(change.to));
        break;
      case "delete":
        edit.deleteFile(toVsUri(change.uri));
    }
  }
  if (!(await vscode.workspace.applyEdit(edit))) return false;
  const names = new Set(edited.map((uri) => uri.toString()));
  for (const document of vscode.workspace.textDocuments) {
    if (document.isDirty && names.has(document.uri.toString())) await document.save();
  }
  return true;
}

function toVsRange({ range: { start, end } }: TextEdit): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
