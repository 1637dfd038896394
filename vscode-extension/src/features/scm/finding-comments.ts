import * as l10n from "@vscode/l10n";
import { realpath } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { isInside } from "@symposium-dev/core/node";
import { splitLines } from "../review/hunks/hunks.js";
import { movedLine } from "../review/hunks/moved-line.js";
import type { Finding } from "./findings-in-answer.js";

/**
 * Findings of a review, shown as comments that follow their lines. The comments aren't stored, because the chat contains the findings, too.
 */
export class FindingComments implements vscode.Disposable {
  #controller: vscode.CommentController | undefined;
  readonly #threads = new Map<string, Set<vscode.CommentThread>>();
  readonly #places = new WeakMap<vscode.CommentThread, FindingLine>();
  /** Changed documents in which comments on findings must be moved. */
  readonly #stale = new Set<vscode.TextDocument>();
  readonly #following = [
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.#follow(document)),
    // A file may have changed on disk while it was closed.
    vscode.workspace.onDidOpenTextDocument((document) => this.#follow(document)),
  ];

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
    const count = shown.size === 1 ? l10n.t("1 finding") : l10n.t("{0} findings", shown.size);
    const show = l10n.t("Show Comments");
    if (
      (await vscode.window.showInformationMessage(
        l10n.t("{0}: {1}, shown as comments in the files.", author, count),
        show,
      )) === show
    )
      await vscode.commands.executeCommand("workbench.action.focusCommentsPanel");
  }

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

  #thread(place: FindingLine, text: string, author: string): vscode.CommentThread {
    const { uri, line } = place;
    this.#controller ??= vscode.comments.createCommentController("symposium.findings", l10n.t("Agent Findings"));
    const comment = { body: text, mode: vscode.CommentMode.Preview, author: { name: author } };
    const thread = this.#controller.createCommentThread(uri, new vscode.Range(line, 0, line, 0), [comment]);
    thread.canReply = false;
    thread.label = l10n.t("Review finding");
    thread.state = vscode.CommentThreadState.Unresolved;
    this.#places.set(thread, place);
    return thread;
  }

  #setContext(): void {
    const has = [...this.#threads.values()].some(({ size }) => size > 0);
    void vscode.commands.executeCommand("setContext", "symposium.hasFindings", has);
  }
}

interface FindingLine {
  readonly uri: vscode.Uri;
  /** Line number, 0-based. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** Returns the position of a finding; undefined if the file or line doesn't exist. */
async function placeOf({ path, line }: Finding, root: string): Promise<FindingLine | undefined> {
  const uri = vscode.Uri.file(isAbsolute(path) ? path : join(root, path));
  try {
    // Ignore paths outside the repository, including links to such files.
    if (!isInside(await realpath(uri.fsPath), await realpath(root))) return undefined;
    const document = await vscode.workspace.openTextDocument(uri);
    const lines = splitLines(document.getText());
    return line >= 1 && line <= document.lineCount ? { uri, line: line - 1, lines } : undefined;
  } catch {
    return undefined;
  }
}
