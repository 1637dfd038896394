import type { OpenFile, Selection } from "@symposium-dev/core";
import * as vscode from "vscode";
import { toRange, toUri } from "./places.js";
import type { WindowState } from "./window-state.js";

/** The editors of this window. */
export class VsCodeWindowState implements WindowState, Disposable {
  /** While the chat has the focus, the user's editor is the one before. */
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
    const files = vscode.window.tabGroups.all.flatMap(({ tabs }) =>
      tabs.flatMap(({ input, isDirty }): [string, OpenFile][] => {
        if (!(input instanceof vscode.TabInputText)) return [];
        const uri = toUri(input.uri);
        return [[uri, { uri, isActive: input.uri.toString() === active, isUnsaved: isDirty }]];
      }),
    );
    return [...new Map(files).values()];
  }

  [Symbol.dispose](): void {
    this.#subscription.dispose();
  }

  #editor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor ?? this.#last;
    return editor && vscode.window.visibleTextEditors.includes(editor) ? editor : undefined;
  }
}
