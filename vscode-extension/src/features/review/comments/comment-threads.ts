import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { changeDiff, commentsPrompt } from "./comments-prompt.js";
import { anchorOf } from "../hunks/hunk-anchor.js";
import { type CommentPlace, type CommentThread, ReviewComments } from "./review-comments.js";
import type { ReviewBook } from "../review-book.js";
import { writersOf } from "../turns/writer-names.js";

export interface CommentDelivery {
  /** Returns the tab to send to: the open tab of the agent that made the change, else the current tab, if any. */
  tabFor(tabIds: readonly string[]): string | undefined;
  /** Sends a prompt in a tab (default: a new one) and shows the tab. Returns the agent's name once the tab has the prompt. */
  send(tabId: string | undefined, prompt: string): Promise<string>;
}

interface CommentThreadsOptions {
  readonly book: ReviewBook;
  readonly delivery: CommentDelivery;
  readonly isMarked: () => boolean;
  readonly changed: () => void;
}

class ShownComment implements vscode.Comment {
  mode = vscode.CommentMode.Preview;
  readonly author = { name: l10n.t("You") };

  constructor(
    readonly threadId: string,
    readonly id: string,
    public body: string,
    readonly timestamp: Date,
    readonly contextValue: "sent" | "unsent",
    readonly label: string,
  ) {}
}

export class CommentThreads implements vscode.Disposable {
  readonly #options: CommentThreadsOptions;
  readonly #comments: ReviewComments;
  /** Created with the first change that can be commented on, because a comment controller makes VS Code show its comments view. */
  #controller: vscode.CommentController | undefined;
  readonly #shown = new Map<string, vscode.CommentThread>();
  readonly #givenRanges = new WeakMap<vscode.TextDocument, string>();
  #isStale = false;
  #isDisposed = false;
  #isSending = false;

  constructor(options: CommentThreadsOptions) {
    this.#options = options;
    this.#comments = new ReviewComments((threadId) => this.#changed(threadId));
  }

  store(): readonly CommentThread[] {
    return this.#comments.threads;
  }

  /** Loads stored threads. The next `refresh()` shows them, once their files' changes are known. */
  load(...stored: Parameters<ReviewComments["load"]>): void {
    this.#comments.load(...stored);
    this.#setContext();
  }

  refresh(path?: string): void {
    const paths = path === undefined ? this.#comments.threads.map((thread) => thread.path) : [path];
    for (const one of new Set(paths)) this.#comments.fileChanged(one, this.#options.book.find(one)?.review);
    if (path === undefined) for (const { id } of this.#comments.threads) this.#show(id);
    const isNeeded = this.#controller !== undefined || this.#options.book.files().length > 0;
    if (this.#isStale || !isNeeded) return;
    this.#isStale = true;
    setImmediate(() => this.#showRanges());
  }

  add(argument: unknown): void {
    const reply = asReply(argument);
    const text = reply?.text.trim() ?? "";
    if (!reply || text === "") return;
    const id = this.#idOf(reply.thread);
    if (id !== undefined) {
      this.#comments.reply(id, text);
      return;
    }
    const begun = crypto.randomUUID();
    // Display the new comment in the thread that VS Code has already created.
    this.#shown.set(begun, reply.thread);
    const texts = this.#options.book.find(reply.thread.uri.fsPath)?.review;
    this.#comments.begin(this.#placeOf(reply.thread), text, begun, texts);
  }

  /** Adds the new reply, then sends all unsent comments. */
  async send(argument: unknown): Promise<void> {
    this.add(argument);
    if (this.#isSending) return;
    const { unsent } = this.#comments;
    if (unsent.length === 0) {
      void vscode.window.showInformationMessage(l10n.t("No comments to send. Write one below a change first."));
      return;
    }
    this.#isSending = true;
    try {
      const { delivery } = this.#options;
      const byTab = new Map<string | undefined, CommentThread[]>();
      for (const thread of unsent) {
        const tabId = delivery.tabFor(thread.tabIds);
        byTab.set(tabId, [...(byTab.get(tabId) ?? []), thread]);
      }
      for (const [tabId, threads] of byTab) {
        const sentTo = await delivery.send(tabId, commentsPrompt(threads, fileLabel));
        this.#comments.markSent(threads, sentTo);
      }
    } finally {
      this.#isSending = false;
    }
  }

  edit(argument: unknown): void {
    this.#setMode(argument, vscode.CommentMode.Editing);
  }

  save(argument: unknown): void {
    if (!(argument instanceof ShownComment)) return;
    const text = argument.body.trim();
    this.#setMode(argument, vscode.CommentMode.Preview);
    if (text !== "") this.#comments.edit(argument.threadId, argument.id, text);
    this.#show(argument.threadId);
  }

  cancelEdit(argument: unknown): void {
    if (!(argument instanceof ShownComment)) return;
    this.#setMode(argument, vscode.CommentMode.Preview);
    this.#show(argument.threadId);
  }

  remove(argument: unknown): void {
    if (argument instanceof ShownComment) {
      this.#comments.remove(argument.threadId, argument.id);
      return;
    }
    for (const [id, thread] of [...this.#shown]) if (thread === argument) this.#comments.remove(id);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#controller?.dispose();
  }

  #open(): vscode.CommentController {
    if (this.#controller) return this.#controller;
    const opened = vscode.comments.createCommentController("symposium.review", l10n.t("Agent Changes"));
    opened.options = {
      prompt: l10n.t("Comment on this change"),
      placeHolder: l10n.t("Tell the agent what to change. You send your comments together."),
    };
    opened.commentingRangeProvider = this.#rangeProvider();
    return (this.#controller = opened);
  }

  #changed(threadId: string): void {
    this.#show(threadId);
    this.#setContext();
    this.#options.changed();
  }

  #setContext(): void {
    const hasUnsent = this.#comments.unsent.length > 0;
    void vscode.commands.executeCommand("setContext", "symposium.review.hasComments", hasUnsent);
  }

  #show(threadId: string): void {
    const thread = this.#comments.thread(threadId);
    const known = this.#shown.get(threadId);
    if (!thread) {
      known?.dispose();
      this.#shown.delete(threadId);
      return;
    }
    const range = new vscode.Range(thread.start, 0, thread.end, 0);
    const shown = known ?? this.#open().createCommentThread(vscode.Uri.file(thread.path), range, []);
    this.#shown.set(threadId, shown);
    const isSent = thread.comments.every(({ sentTo }) => sentTo !== undefined);
    if (!known && !isSent) shown.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    if (shown.range?.start.line !== thread.start || shown.range.end.line !== thread.end) shown.range = range;
    const writers = writersOf(new Set(thread.tabIds));
    shown.label = writers === "" ? l10n.t("On a change") : l10n.t("On a change by {0}", writers);
    shown.contextValue = isSent ? "sent" : "unsent";
    shown.state = isSent ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
    // Don't replace a comment that the user is editing.
    if (shown.comments.some(({ mode }) => mode === vscode.CommentMode.Editing)) return;
    shown.comments = thread.comments.map(
      ({ id, text, writtenAtMs, sentTo }) =>
        new ShownComment(
          threadId,
          id,
          text,
          new Date(writtenAtMs),
          sentTo === undefined ? "unsent" : "sent",
          sentTo === undefined ? l10n.t("Not sent") : l10n.t("Sent to {0}", sentTo),
        ),
    );
  }

  #setMode(argument: unknown, mode: vscode.CommentMode): void {
    if (!(argument instanceof ShownComment)) return;
    const shown = this.#shown.get(argument.threadId);
    // The comment object that the user clicked may have been replaced in the meantime, so set the mode on both objects.
    const comment = shown?.comments.find((one) => one instanceof ShownComment && one.id === argument.id);
    for (const one of [argument, comment]) if (one) one.mode = mode;
    // The editor reads changed comments only from a new array.
    if (shown) shown.comments = [...shown.comments];
  }

  #idOf(thread: vscode.CommentThread): string | undefined {
    return [...this.#shown].find(([, shown]) => shown === thread)?.[0];
  }

  #placeOf({ uri, range }: vscode.CommentThread): CommentPlace {
    const path = uri.fsPath;
    const [start, end] = [range?.start.line ?? 0, range?.end.line ?? 0];
    const file = this.#options.book.find(path);
    const hunk = file?.review.hunks.find((one) => start <= Math.max(one.end - 1, one.start) && end >= one.start);
    const about = hunk ? { hunk: anchorOf(hunk, start) } : {};
    const diff = hunk ? changeDiff(hunk, start, end) : "";
    return { path, start, end, ...about, diff, tabIds: [...(file?.tabIds ?? [])] };
  }

  /**
   * Sets a new provider, which makes VS Code request the commenting ranges again. VS Code then also recreates the file's comments, and
   * shows them twice if asked again too early (1.139), so this is done only if the ranges changed.
   */
  #showRanges(): void {
    this.#isStale = false;
    if (this.#isDisposed) return;
    const isOther = (document: vscode.TextDocument): boolean => {
      const given = this.#givenRanges.get(document);
      return given !== undefined && given !== JSON.stringify(this.#rangesOf(document));
    };
    if (!this.#controller) this.#open();
    else if (vscode.workspace.textDocuments.some(isOther))
      this.#controller.commentingRangeProvider = this.#rangeProvider();
  }

  #rangeProvider(): vscode.CommentingRangeProvider {
    return {
      provideCommentingRanges: (document) => {
        const ranges = this.#rangesOf(document);
        this.#givenRanges.set(document, JSON.stringify(ranges));
        return ranges;
      },
    };
  }

  #rangesOf(document: vscode.TextDocument): vscode.Range[] {
    const isFile = document.uri.scheme === "file" && this.#options.isMarked();
    const review = isFile ? this.#options.book.find(document.uri.fsPath)?.review : undefined;
    if (review?.current !== document.getText()) return [];
    const last = document.lineCount - 1;
    return review.hunks.map(
      ({ start, end }) => new vscode.Range(Math.min(start, last), 0, Math.min(Math.max(end - 1, start), last), 0),
    );
  }
}

function asReply(argument: unknown): vscode.CommentReply | undefined {
  if (typeof argument !== "object" || argument === null || !("thread" in argument) || !("text" in argument))
    return undefined;
  return argument as vscode.CommentReply;
}

/** Returns the file name to send to agents: relative to the workspace folder if there is exactly one, otherwise absolute. */
function fileLabel(path: string): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length === 1 ? vscode.workspace.asRelativePath(path) : path;
}
