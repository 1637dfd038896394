import type { Diagnostic } from "@symposium-dev/core";
import * as vscode from "vscode";
import { type DiagnosticsSource, toTypeScriptDiagnostics } from "./diagnostics.js";
import type { OwnFeatures } from "../language-features/own-features.js";
import type { EditorDocument } from "./editor.js";
import { toVsUri } from "./vscode-editor.js";

const typeScript = new Set(["typescript", "typescriptreact", "javascript", "javascriptreact"]);
const foreign = /[\\/](?:node_modules|target|\.git|dist|out)[\\/]/;

/** Diagnostics of VS Code's extensions, without those of `own`. */
export const vsCodeDiagnostics = (own?: OwnFeatures): DiagnosticsSource => ({
  all: () => vscode.languages.getDiagnostics().map(([uri, list]) => [uri, withoutOwn(list, own)]),
  of: (uri) => withoutOwn(vscode.languages.getDiagnostics(toVsUri(uri)), own),

  async check({ uri, languageId }) {
    if (!typeScript.has(languageId)) return undefined;
    const parts = await Promise.all([
      askTypeScript("syntacticDiagnosticsSync", uri),
      askTypeScript("semanticDiagnosticsSync", uri),
    ]);
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
  },

  onChanged(listener) {
    return toDisposable(vscode.languages.onDidChangeDiagnostics(({ uris }) => listener(uris)));
  },

  onEdited(listener) {
    const notice = (uri: vscode.Uri): void => {
      if (uri.scheme === "file" && !foreign.test(uri.fsPath)) listener(uri);
    };
    /** Open documents reload after a file change and send their own events. */
    const written = (uri: vscode.Uri): void => {
      const name = uri.toString();
      if (!vscode.workspace.textDocuments.some((document) => document.uri.toString() === name)) notice(uri);
    };
    const watcher = vscode.workspace.createFileSystemWatcher("**/*", false, false, true);
    return toDisposable(
      vscode.Disposable.from(
        watcher,
        watcher.onDidChange(written),
        watcher.onDidCreate(written),
        vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
          if (contentChanges.length > 0) notice(document.uri);
        }),
      ),
    );
  },
});

function withoutOwn(list: readonly vscode.Diagnostic[], own: OwnFeatures | undefined): vscode.Diagnostic[] {
  return list.filter((diagnostic) => own?.made(diagnostic) !== true);
}

async function askTypeScript(request: string, file: EditorDocument["uri"]): Promise<readonly Diagnostic[] | undefined> {
  try {
    return toTypeScriptDiagnostics(
      await vscode.commands.executeCommand("typescript.tsserverRequest", request, { file }),
    );
  } catch {
    return undefined;
  }
}

function toDisposable(owned: vscode.Disposable): Disposable {
  return { [Symbol.dispose]: () => void owned.dispose() };
}
