import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  fileUri,
  type IdeOperationName,
  ideOperationMethod,
  type IdeParams,
  type IdeResult,
  type Position,
} from "@symposium-dev/core";
import * as vscode from "vscode";
import type { EditedFile } from "../../../src/features/ide-operations/workspace-edits.js";
import { IdeOperations } from "../../../src/features/ide-operations/ide-operations.js";
import { vsCodeDiagnostics } from "../../../src/features/ide-operations/vscode-diagnostics.js";
import { VsCodeEditor } from "../../../src/features/ide-operations/vscode-editor.js";
import { VsCodeWindowState } from "../../../src/features/ide-operations/vscode-window-state.js";

/** How long VS Code may take on a busy machine to notice what was written to disk. */
const noticedAfterMs = 60_000;

/** A folder of the open workspace, and the operations that an agent which works in it can ask for. */
export class IdeProject implements AsyncDisposable {
  readonly edited: Omit<EditedFile, "folder">[] = [];
  readonly #window = new VsCodeWindowState();
  readonly #operations = new IdeOperations({
    editor: new VsCodeEditor(),
    window: this.#window,
    diagnostics: vsCodeDiagnostics(),
    edited: ({ path, before, after }) => this.edited.push({ path, before, after }),
  });

  private constructor(readonly folder: string) {}

  static async create(files: Readonly<Record<string, string>>): Promise<IdeProject> {
    const [root] = vscode.workspace.workspaceFolders ?? [];
    if (!root) throw new Error("The window has no folder.");
    const project = new IdeProject(await realpath(await mkdtemp(join(root.uri.fsPath, "ide project-"))));
    for (const [name, text] of Object.entries(files)) await project.write(name, text);
    return project;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  uri(name: string): string {
    return fileUri(this.path(name));
  }

  /** Writes a file as a program beside the editor does. */
  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(this.path(name)), { recursive: true });
    await writeFile(this.path(name), text);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), "utf8");
  }

  async ask<N extends IdeOperationName>(name: N, params: IdeParams<N>): Promise<IdeResult<N>> {
    const request = this.#operations.requests[ideOperationMethod(name)];
    if (!request) throw new Error(`"${name}" is not answered.`);
    const { signal } = new AbortController();
    const all = { workspace: fileUri(this.folder), ...params };
    for (const end = Date.now() + noticedAfterMs; ;) {
      try {
        return (await request({ params: all, session: undefined, signal })) as IdeResult<N>;
      } catch (failure) {
        // A slow VS Code answers with this message, which asks for another attempt.
        if (Date.now() > end || !(failure instanceof Error) || !failure.message.includes("n't noticed yet"))
          throw failure;
      }
    }
  }

  /** Returns the parameters for the `nth` occurrence of `text` in a file, from 0. */
  async at(name: string, text: string, nth = 0): Promise<{ uri: string; position: Position }> {
    const document = await vscode.workspace.openTextDocument(this.path(name));
    let index = -1;
    for (let found = 0; found <= nth; found++) index = document.getText().indexOf(text, index + 1);
    if (index === -1) throw new Error(`${name} has no "${text}".`);
    const { line, character } = document.positionAt(index);
    return { uri: this.uri(name), position: { line, character } };
  }

  /** Formats a place and its text as `main.ts 3:5 word`, with 0-based numbers. */
  async shown({ uri, range }: { uri: string; range: { start: Position; end: Position } }): Promise<string> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    const { start, end } = range;
    const text = document.getText(new vscode.Range(start.line, start.character, end.line, end.character));
    return `${uri.replace(`${fileUri(this.folder)}/`, "")} ${start.line}:${start.character} ${text}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#operations[Symbol.dispose]();
    this.#window[Symbol.dispose]();
    // What is not saved would be a text of the window in every suite that follows; "save all" forgets what has no editor.
    for (const document of vscode.workspace.textDocuments) if (document.isDirty) await document.save();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(this.folder, { recursive: true });
  }
}
