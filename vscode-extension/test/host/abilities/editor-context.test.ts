import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileUri } from "@symposium-dev/core";
import * as vscode from "vscode";
import { TerminalRecorder } from "../../../src/features/context/terminal-recorder.js";
import { VsCodeEditorContext } from "../../../src/features/context/vscode-editor-context.js";
import { eventually } from "../eventually.js";
import { startsTerminals } from "./terminal-backend.js";

describe("the context of the editor", () => {
  let folder: string;
  let recorder: TerminalRecorder;
  let context: VsCodeEditorContext;
  let owned: { dispose(): unknown }[];

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "context-")));
    recorder = new TerminalRecorder();
    context = new VsCodeEditorContext(recorder);
    owned = [recorder];
    await writeFile(join(folder, "a b.txt"), "one\ntwo\nthree\n");
  });
  afterEach(async () => {
    for (const one of owned) one.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true });
  });

  const path = (): string => join(folder, "a b.txt");
  const open = (): Thenable<vscode.TextEditor> => vscode.window.showTextDocument(vscode.Uri.file(path()));

  it("has the selection with the lines that it covers", async () => {
    const editor = await open();
    assert.equal(context.selection(), undefined);
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    assert.deepEqual(context.selection(), {
      type: "selection",
      uri: fileUri(path()),
      label: "a b.txt:1-2",
      startLine: 1,
      endLine: 2,
      text: "one\ntwo\n",
    });
  });

  it("has the open files, the active one first", async () => {
    await writeFile(join(folder, "other"), "");
    await open();
    await vscode.window.showTextDocument(vscode.Uri.file(join(folder, "other")), { preview: false });
    const [first] = context.openFiles();
    assert.equal(first, join(folder, "other"));
  });

  it("counts and lists errors and warnings", () => {
    const collection = vscode.languages.createDiagnosticCollection("test");
    owned.push(collection);
    const at = new vscode.Range(1, 2, 1, 3);
    const warning = new vscode.Diagnostic(at, "mind this", vscode.DiagnosticSeverity.Warning);
    warning.source = "lint";
    const hint = new vscode.Diagnostic(at, "a hint", vscode.DiagnosticSeverity.Hint);
    collection.set(vscode.Uri.file(path()), [warning, hint]);
    assert.deepEqual(
      [context.problemCount(path()), context.problems(fileUri(path()))],
      [1, `${path()}:2:3 warning: mind this (lint)`],
    );
  });

  it("has the symbols of the open document with their lines", async () => {
    const provider: vscode.DocumentSymbolProvider = {
      provideDocumentSymbols(document) {
        const range = new vscode.Range(0, 0, 1, 3);
        const outer = new vscode.DocumentSymbol("Outer", "", vscode.SymbolKind.Class, range, range);
        const line = document.lineAt(1).range;
        outer.children = [new vscode.DocumentSymbol("innerMethod", "", vscode.SymbolKind.EnumMember, line, line)];
        return [outer];
      },
    };
    owned.push(vscode.languages.registerDocumentSymbolProvider({ pattern: "**/a b.txt" }, provider));
    await open();
    const symbols = await context.symbols("inner");
    const found = { name: "innerMethod", containerName: "Outer", icon: "symbol-enum-member" };
    assert.deepEqual(symbols, [{ ...found, path: path(), startLine: 2, endLine: 2 }]);
  });

  it("has the unsaved text of a document, by its URI", async () => {
    const editor = await open();
    assert.equal(context.unsavedText(fileUri(path())), undefined);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "new "));
    assert.equal(context.unsavedText(fileUri(path())), "new one\ntwo\nthree\n");
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("has the last command of the terminal with its output, without its colours", async function () {
    if (!startsTerminals()) this.skip();
    const terminal = vscode.window.createTerminal({ shellPath: "/bin/bash", cwd: folder });
    owned.push(terminal);
    terminal.show();
    const integration = await shellIntegrationOf(terminal);
    // VS Code loses the output of a command that ends before its start was told.
    const started = executionStarted(terminal);
    const command = "until [ -e go ]; do :; done; printf '\\033[31mred\\033[0m\\n'";
    integration.executeCommand(command);
    await started;
    const ended = executionEnded(terminal);
    await writeFile(join(folder, "go"), "");
    await ended;
    // The last of the output comes after the event that ends the command.
    await eventually(() => assert.match(context.terminal()?.text ?? "", /red\n/));
    assert.deepEqual(context.terminal(), { label: command, text: `$ ${command}\nred\n` });
  });
});

function shellIntegrationOf(terminal: vscode.Terminal): Promise<vscode.TerminalShellIntegration> {
  return new Promise((resolve) => {
    if (terminal.shellIntegration) resolve(terminal.shellIntegration);
    const listening = vscode.window.onDidChangeTerminalShellIntegration((event) => {
      if (event.terminal !== terminal) return;
      listening.dispose();
      resolve(event.shellIntegration);
    });
  });
}

function executionStarted(terminal: vscode.Terminal): Promise<void> {
  return happened(vscode.window.onDidStartTerminalShellExecution, (event) => event.terminal === terminal);
}

function executionEnded(terminal: vscode.Terminal): Promise<void> {
  return happened(vscode.window.onDidEndTerminalShellExecution, (event) => event.terminal === terminal);
}

function happened<T>(event: vscode.Event<T>, isWanted: (value: T) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const listening = event((value) => {
      if (!isWanted(value)) return;
      listening.dispose();
      resolve();
    });
  });
}
