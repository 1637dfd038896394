import { realpath } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { isInside } from "@symposium-dev/core/node";
import { splitLines } from "../review/hunks/hunks.js";
import { movedLine } from "../review/hunks/moved-line.js";
import type { Finding } from "./findings.js";

/** What a review found, as comments in the files, which move with their lines. They go with the window: the chat has them, too. */
export class FindingComments implements vscode.Disposable {
  /** There once there is a finding: with it, the editor shows its view of comments. */
  #controller: vscode.CommentController | undefined;
  /** Those of the last review of each repository, by its root. */
  readonly #threads = new Map<string, Set<vscode.CommentThread>>();
  /** Where each stood when it was found. */
  readonly #places = new WeakMap<vscode.CommentThread, Place>();
  /** Documents that were changed, whose findings are to be moved soon. */
  readonly #stale = new Set<vscode.TextDocument>();
  readonly #following = [
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.#follow(document)),
    // A closed file may have been changed on disk.
    vscode.workspace.onDidOpenTextDocument((document) => this.#follow(document)),
  ];

  /** Shows what was found in a repository in place of what was there; findings that no line can be found for are left out. */
  async show(findings: readonly Finding[], root: string, author: string): Promise<void> {
    const places = await Promise.all(findings.map((finding) => placeOf(finding, root)));
    for (const thread of this.#threads.get(root) ?? []) thread.dispose();
    const shown = new Set<vscode.CommentThread>();
    for (const [index, { text }] of findings.entries()) {
      const place = places[index];
      if (place) shown.add(this.#thread(place, text, author));
    }
    this.#threads.set(root, shown);
    this.#setContext();
    if (shown.size === 0) return;
    const count = shown.size === 1 ? "1 finding stands" : `${shown.size} findings stand`;
    const show = "Show Comments";
    if ((await vscode.window.showInformationMessage(`${author}: ${count} in the files as comments.`, show)) === show)
      await vscode.commands.executeCommand("workbench.action.focusCommentsPanel");
  }

  /** Removes one finding, by the thread that the menu hands over, or all. */
  dismiss(argument: unknown): void {
    for (const threads of this.#threads.values()) {
      for (const thread of [...threads]) {
        if (argument !== undefined && argument !== thread) continue;
        thread.dispose();
        threads.delete(thread);
      }
    }
    this.#setContext();
  }

  dispose(): void {
    for (const one of this.#following) one.dispose();
    this.#controller?.dispose();
  }

  #follow(document: vscode.TextDocument): void {
    if (this.#threadsIn(document).length === 0) return;
    if (this.#stale.size === 0) setImmediate(() => this.#moveAll());
    this.#stale.add(document);
  }

  #moveAll(): void {
    for (const document of this.#stale) {
      const now = splitLines(document.getText());
      for (const thread of this.#threadsIn(document)) {
        const place = this.#places.get(thread);
        if (!place) continue;
        const line = Math.min(movedLine(place.line, place.lines, now), document.lineCount - 1);
        if (thread.range?.start.line !== line) thread.range = new vscode.Range(line, 0, line, 0);
      }
    }
    this.#stale.clear();
  }

  #threadsIn({ uri }: vscode.TextDocument): readonly vscode.CommentThread[] {
    if (uri.scheme !== "file") return [];
    return [...this.#threads.values()].flatMap((threads) =>
      [...threads].filter((thread) => thread.uri.fsPath === uri.fsPath),
    );
  }

  #thread(place: Place, text: string, author: string): vscode.CommentThread {
    const { uri, line } = place;
    this.#controller ??= vscode.comments.createCommentController("symposium.findings", "Findings of Agents");
    const comment = { body: text, mode: vscode.CommentMode.Preview, author: { name: author } };
    const thread = this.#controller.createCommentThread(uri, new vscode.Range(line, 0, line, 0), [comment]);
    thread.canReply = false;
    thread.label = "Found in a review";
    thread.state = vscode.CommentThreadState.Unresolved;
    this.#places.set(thread, place);
    return thread;
  }

  #setContext(): void {
    const has = [...this.#threads.values()].some(({ size }) => size > 0);
    void vscode.commands.executeCommand("setContext", "symposium.hasFindings", has);
  }
}

interface Place {
  readonly uri: vscode.Uri;
  /** 0-based. */
  readonly line: number;
  /** Of the file when it was found. */
  readonly lines: readonly string[];
}

/** Undefined where the repository has no such file, or the file no such line. */
async function placeOf({ path, line }: Finding, root: string): Promise<Place | undefined> {
  const uri = vscode.Uri.file(isAbsolute(path) ? path : join(root, path));
  try {
    // An answer that names another file, or a link to one, opens nothing.
    if (!isInside(await realpath(uri.fsPath), await realpath(root))) return undefined;
    const document = await vscode.workspace.openTextDocument(uri);
    const lines = splitLines(document.getText());
    return line >= 1 && line <= document.lineCount ? { uri, line: line - 1, lines } : undefined;
  } catch {
    return undefined;
  }
}
