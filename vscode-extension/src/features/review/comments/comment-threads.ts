import * as vscode from "vscode";
import { changeDiff, commentsPrompt } from "./comments-prompt.js";
import { anchorOf } from "../hunks/hunk-anchor.js";
import { type CommentPlace, type CommentThread, ReviewComments } from "./review-comments.js";
import type { ReviewBook } from "../review-book.js";
import { writersOf } from "../turns/writer-names.js";

/** Where comments are sent. */
export interface CommentDelivery {
  /** The tab to send to: that of the agent that made the change, while it is open; else the current one, if there is one. */
  tabFor(tabIds: readonly string[]): string | undefined;
  /** Sends a prompt in a tab, a new one unless told, and shows it. Resolves with the agent's name when the tab has it. */
  send(tabId: string | undefined, prompt: string): Promise<string>;
}

interface CommentThreadsOptions {
  readonly book: ReviewBook;
  readonly delivery: CommentDelivery;
  /** Whether changes are marked in the files. */
  readonly isMarked: () => boolean;
  /** What is to be stored is something else now. */
  readonly changed: () => void;
}

/** A comment as the editor shows it. It changes `body` when the user edits it. */
class ShownComment implements vscode.Comment {
  mode = vscode.CommentMode.Preview;
  readonly author = { name: vscode.l10n.t("You") };

  constructor(
    readonly threadId: string,
    readonly id: string,
    public body: string,
    readonly timestamp: Date,
    readonly contextValue: "sent" | "unsent",
    readonly label: string,
  ) {}
}

/** The user's comments on changes, in the files themselves: collected, and sent as one prompt. */
export class CommentThreads implements vscode.Disposable {
  readonly #options: CommentThreadsOptions;
  readonly #comments: ReviewComments;
  /** There once there is something to comment on: with it, the editor shows its view of comments. */
  #controller: vscode.CommentController | undefined;
  readonly #shown = new Map<string, vscode.CommentThread>();
  /** The ranges that the editor last got for a document, as a text to compare. */
  readonly #givenRanges = new WeakMap<vscode.TextDocument, string>();
  #isStale = false;
  #isDisposed = false;
  #isSending = false;

  constructor(options: CommentThreadsOptions) {
    this.#options = options;
    this.#comments = new ReviewComments((threadId) => this.#changed(threadId));
  }

  /** What is kept for the next window. */
  store(): readonly CommentThread[] {
    return this.#comments.threads;
  }

  /** Takes up what was stored. It is shown with the next `refresh()`, when what it is about is known, too. */
  load(...stored: Parameters<ReviewComments["load"]>): void {
    this.#comments.load(...stored);
    this.#setContext();
  }

  /** The changes of a file, or of all, are others now, or others of them are marked. */
  refresh(path?: string): void {
    const paths = path === undefined ? this.#comments.threads.map((thread) => thread.path) : [path];
    for (const one of new Set(paths)) this.#comments.fileChanged(one, this.#options.book.find(one)?.review);
    if (path === undefined) for (const { id } of this.#comments.threads) this.#show(id);
    const isNeeded = this.#controller !== undefined || this.#options.book.files().length > 0;
    if (this.#isStale || !isNeeded) return;
    this.#isStale = true;
    setImmediate(() => this.#showRanges());
  }

  /** Takes what was written below a change: `argument` is the editor's reply. */
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
    // The editor's own thread is the one that shows it from now on.
    this.#shown.set(begun, reply.thread);
    const texts = this.#options.book.find(reply.thread.uri.fsPath)?.review;
    this.#comments.begin(this.#placeOf(reply.thread), text, begun, texts);
  }

  /** Sends everything that is not sent, with what was just written. */
  async send(argument: unknown): Promise<void> {
    this.add(argument);
    if (this.#isSending) return;
    const { unsent } = this.#comments;
    if (unsent.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t("No comments to send. Write one below a change first."));
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

  /** Takes what the user made of a comment; without words it stays as it was. */
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

  /** Removes a comment, or a thread. */
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
    const opened = vscode.comments.createCommentController("symposium.review", vscode.l10n.t("Changes of Agents"));
    opened.options = {
      prompt: vscode.l10n.t("Comment on this change"),
      placeHolder: vscode.l10n.t("Tell the agent what to change. You send your comments together."),
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
    shown.label = writers === "" ? vscode.l10n.t("On a change") : vscode.l10n.t("On a change by {0}", writers);
    shown.contextValue = isSent ? "sent" : "unsent";
    shown.state = isSent ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
    // What the user is writing into a comment stays.
    if (shown.comments.some(({ mode }) => mode === vscode.CommentMode.Editing)) return;
    shown.comments = thread.comments.map(
      ({ id, text, writtenAtMs, sentTo }) =>
        new ShownComment(
          threadId,
          id,
          text,
          new Date(writtenAtMs),
          sentTo === undefined ? "unsent" : "sent",
          sentTo === undefined ? vscode.l10n.t("Not sent") : vscode.l10n.t("Sent to {0}", sentTo),
        ),
    );
  }

  #setMode(argument: unknown, mode: vscode.CommentMode): void {
    if (!(argument instanceof ShownComment)) return;
    const shown = this.#shown.get(argument.threadId);
    // The user presses on what is drawn, and may have pressed on one that another has taken the place of since.
    const comment = shown?.comments.find((one) => one instanceof ShownComment && one.id === argument.id);
    for (const one of [argument, comment]) if (one) one.mode = mode;
    // The editor looks at the comments when it gets them anew.
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
   * The editor asks for the ranges again when it gets their provider anew. It then makes all comments of the file anew,
   * too, and shows them twice where it is asked to before it is done (1.139): so it gets one only for other ranges.
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

/** As agents find it: relative only where there is one folder to be relative to. */
function fileLabel(path: string): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length === 1 ? vscode.workspace.asRelativePath(path) : path;
}
