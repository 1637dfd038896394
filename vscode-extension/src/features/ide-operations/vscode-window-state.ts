import type { OpenFile, Selection } from "@symposium-dev/core";
import * as vscode from "vscode";
import { toRange, toUri } from "./places.js";
import type { WindowState } from "./window-state.js";

export class VsCodeWindowState implements WindowState, Disposable {
  /** Last active editor, also used while the chat has the focus. */
  #last = vscode.window.activeTextEditor;
  readonly #subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    this.#last = editor ?? this.#last;
  });

  selection(): Selection | undefined {
    const editor = this.#editor();
    if (!editor) return undefined;
    const { document, selection } = editor;
    return { uri: toUri(document.uri), range: toRange(selection), text: document.getText(selection) };
  }

  openFiles(): readonly OpenFile[] {
    const active = this.#editor()?.document.uri.toString();
    const files = new Map<string, OpenFile>();
    for (const { tabs } of vscode.window.tabGroups.all) {
      for (const { input, isDirty } of tabs) {
        if (!(input instanceof vscode.TabInputText)) continue;
        const uri = toUri(input.uri);
        files.set(uri, { uri, isActive: input.uri.toString() === active, isUnsaved: isDirty });
      }
    }
    // Unsaved text can be in a document without a visible editor, for example a diff.
    for (const { uri, isDirty } of vscode.workspace.textDocuments) {
      if (!isDirty || uri.scheme !== "file") continue;
      const known = files.get(toUri(uri)) ?? { uri: toUri(uri), isActive: false };
      files.set(toUri(uri), { ...known, isUnsaved: true });
    }
    return [...files.values()];
  }

  [Symbol.dispose](): void {
    this.#subscription.dispose();
  }

  #editor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor ?? this.#last;
    return editor && vscode.window.visibleTextEditors.includes(editor) ? editor : undefined;
  }
}
