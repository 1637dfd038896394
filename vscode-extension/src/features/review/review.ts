import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { ChangedFile } from "../../../protocol/index.js";
import type { ViewMessages } from "../chat/view-messages.js";
import { AgentChanges, type WatchedToolCall } from "./agent-changes.js";
import { BaselineDocuments, baselineScheme } from "./baseline-documents.js";
import { Checkpoints } from "./checkpoints.js";
import { DocumentTexts } from "./document-texts.js";
import type { FileText } from "./engine/file-review.js";
import { GitTurn } from "./git-turn.js";
import { HunkDecorations } from "./hunk-decorations.js";
import { HunkLenses } from "./hunk-lenses.js";
import { ReviewBook } from "./review-book.js";
import type { ReviewedTurns } from "./review-observer.js";
import { ReviewStore } from "./review-store.js";

export interface ReviewOptions {
  /** A file of our own in the workspace's storage. */
  readonly storeFile: string;
  readonly messages: ViewMessages;
  /** Whether changes are marked in the files; the lists of changed files are there in any case. */
  readonly isMarked: () => boolean;
  /** A tab's list of changed files is another now. */
  readonly onChangedFiles: (tabId: string, files: readonly ChangedFile[]) => void;
  readonly onProblem: (error: unknown) => void;
}

/** A prompt does not wait longer for version control than this. */
const maxGitWaitMs = 1_000;

/** A running turn: the work tree when it began, and the files whose changes are accounted for. */
interface Turn {
  readonly git: Promise<GitTurn | undefined>;
  readonly known: Set<string>;
  ranCommands: boolean;
}

/** ACP ToolKinds that change no file. */
const kindsThatOnlyLook: ReadonlySet<string> = new Set(["read", "search", "think", "fetch", "switch_mode"]);

/**
 * The review of everything that agents change: which lines, in which files, since when; shown in the files
 * themselves, and kept or undone change by change, file by file or all at once. Never blocks the agent.
 */
export class Review implements ReviewedTurns, vscode.Disposable {
  readonly book = new ReviewBook();
  readonly checkpoints = new Checkpoints();
  readonly texts = new DocumentTexts();
  readonly #options: ReviewOptions;
  readonly #changes: AgentChanges;
  readonly #store: ReviewStore;
  readonly #baselines: BaselineDocuments;
  readonly #lenses: HunkLenses;
  readonly #decorations: HunkDecorations;
  readonly #running = new Map<string, Turn>();
  readonly #disposables: readonly { dispose(): unknown }[];

  constructor(options: ReviewOptions) {
    this.#options = options;
    this.#store = new ReviewStore(options.storeFile, options.onProblem);
    this.#baselines = new BaselineDocuments(this.book);
    this.#lenses = new HunkLenses(this.book, options.isMarked);
    this.#decorations = new HunkDecorations(this.book, options.isMarked);
    this.#changes = new AgentChanges(this.texts, {
      current: (path) => this.book.current(path),
      agentChanged: (tabId, path, before, after) => this.#record(tabId, path, before, after),
    });
    this.book.onChange = (path) => this.#refresh(path);
    this.#disposables = [
      this.#baselines,
      this.#lenses,
      this.#decorations,
      vscode.workspace.registerTextDocumentContentProvider(baselineScheme, this.#baselines),
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this.#lenses),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#decorations.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#setContext()),
      vscode.workspace.onDidChangeTextDocument((event) => this.#documentChanged(event)),
      options.messages.on("review", ({ tabId, action, uri }) => this.answer(action, tabId, uri)),
    ];
  }

  /** Takes up what was under review when the window was last open. */
  async restore(): Promise<void> {
    const { reviews, checkpoints } = await this.#store.load();
    for (const [tabId, stored] of Object.entries(checkpoints)) this.checkpoints.restore(tabId, stored);
    for (const stored of reviews) {
      const now = await this.texts.read(stored.path);
      if (now !== undefined) this.book.restore(stored, now);
    }
  }

  /** The user wants changes marked, or no longer does. */
  marksChanged(): void {
    this.#lenses.changed();
    this.#decorations.refresh();
    this.#setContext();
  }

  /** A turn begins in `folder`. Resolves when version control has been asked, or takes too long to wait for. */
  async promptStarted(tabId: string, messageId: string, folder: string): Promise<void> {
    const git = GitTurn.begin(folder, this.texts).catch(() => undefined);
    this.#running.set(tabId, { git, known: new Set(), ranCommands: false });
    this.checkpoints.promptStarted(tabId, messageId);
    await Promise.race([git, wait(maxGitWaitMs, undefined, { ref: false })]);
  }

  /** Whether a turn of the tab has not ended. */
  isRunning(tabId: string): boolean {
    return this.#running.has(tabId);
  }

  toolCall(tabId: string, call: WatchedToolCall): void {
    const turn = this.#running.get(tabId);
    if (turn && !kindsThatOnlyLook.has(call.kind)) turn.ranCommands = true;
    this.#changes.toolCall(tabId, call);
  }

  /** We wrote for the agent. */
  written(tabId: string, path: string, before: FileText, after: FileText): void {
    this.#changes.written(tabId, path, before, after);
  }

  /** Resolves when every change of the turn is under review. */
  async turnEnded(tabId: string): Promise<void> {
    const turn = this.#running.get(tabId);
    await this.#changes.turnEnded(tabId);
    // The next turn may have begun meanwhile.
    if (this.#running.get(tabId) === turn) this.#running.delete(tabId);
    if (turn?.ranCommands === true) {
      const found = await (await turn.git)?.end((path) => turn.known.has(path));
      for (const { path, before, after } of found ?? []) this.#record(tabId, path, before, after);
    }
    // What the agent did to open documents came as reloads that nobody was blamed for.
    for (const { path } of this.book.files()) {
      const text = await this.texts.read(path);
      if (text !== undefined && !this.#isDirty(path)) this.book.userChanged(path, text);
    }
    this.#save();
  }

  tabClosed(tabId: string): void {
    this.#running.delete(tabId);
    this.book.tabClosed(tabId);
    this.checkpoints.tabClosed(tabId);
    this.#save();
  }

  changedFiles(tabId: string): ChangedFile[] {
    return this.book.files(tabId).map(({ path, review }) => ({
      uri: vscode.Uri.file(path).toString(),
      label: vscode.workspace.asRelativePath(path),
      ...review.counts,
      state: review.state,
    }));
  }

  /** Keeps, undoes or opens one file, or all files of a tab. */
  async answer(action: "open" | "keep" | "undo", tabId: string | undefined, uri?: string): Promise<void> {
    if (action === "open") {
      await vscode.commands.executeCommand(
        uri === undefined ? "symposium.review.openAll" : "symposium.review.openFile",
        {
          tabId,
          ...(uri === undefined ? {} : { path: vscode.Uri.parse(uri).fsPath }),
        },
      );
      return;
    }
    const paths = uri === undefined ? this.book.files(tabId).map(({ path }) => path) : [vscode.Uri.parse(uri).fsPath];
    for (const path of paths) {
      if (action === "keep") this.book.keep(path);
      else await this.undo(path);
    }
  }

  /** Undoes one change of a file, or all of them, in the file. False where there is no such change any more. */
  async undo(path: string, hunkId?: string): Promise<boolean> {
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "file" && uri.fsPath === path);
    // What the user typed and the book has not heard of yet must not be overwritten.
    if (document?.isDirty === true) this.book.userChanged(path, document.getText());
    const rewrite = this.book.undo(path, hunkId);
    if (!rewrite) return false;
    if (await this.texts.write(path, rewrite.text)) return true;
    // The editor refused: what is there stays, and stays for review.
    this.book.userChanged(path, (await this.texts.read(path)) ?? null);
    return false;
  }

  /** Resolves when everything is on disk. */
  async flush(): Promise<void> {
    await this.#store.flush();
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #record(tabId: string, path: string, before: FileText, after: FileText): void {
    this.#running.get(tabId)?.known.add(path);
    this.checkpoints.changed(tabId, path, before, after);
    this.book.agentChanged(tabId, path, before, after);
  }

  #documentChanged({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.scheme !== "file" || contentChanges.length === 0) return;
    const path = document.uri.fsPath;
    // What the user types while a turn runs is no command's doing.
    if (document.isDirty) for (const { known } of this.#running.values()) known.add(path);
    if (!this.book.find(path)) return;
    // A clean document that changes was reloaded from disk: during a turn that is the agent's doing, and looked at then.
    if (document.isDirty || this.#running.size === 0) this.book.userChanged(path, document.getText());
    else this.#decorations.refresh(path);
  }

  #isDirty(path: string): boolean {
    return vscode.workspace.textDocuments.some(
      ({ uri, isDirty }) => isDirty && uri.scheme === "file" && uri.fsPath === path,
    );
  }

  #refresh(path: string): void {
    this.#baselines.changed(path);
    this.#lenses.changed();
    this.#decorations.refresh(path);
    this.#setContext();
    for (const tabId of this.book.find(path)?.tabIds ?? [])
      this.#options.onChangedFiles(tabId, this.changedFiles(tabId));
    this.#save();
  }

  #setContext(): void {
    const path = vscode.window.activeTextEditor?.document.uri.fsPath;
    const isMarked =
      this.#options.isMarked() && path !== undefined && this.book.find(path)?.review.isReviewed === false;
    void vscode.commands.executeCommand("setContext", "symposium.review.fileHasChanges", isMarked);
    void vscode.commands.executeCommand("setContext", "symposium.review.hasChanges", this.book.files().length > 0);
  }

  #save(): void {
    this.#store.save(() => ({ reviews: this.book.store(), checkpoints: this.checkpoints.storeAll() }));
  }
}
