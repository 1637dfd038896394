import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { ChangedFile } from "../../../protocol/index.js";
import type { ViewMessages } from "../pages/message-hub.js";
import { outermost, type Snapshots } from "../snapshots/snapshots.js";
import { AgentChanges, type WatchedToolCall } from "./agent-changes.js";
import { BaselineDocuments, baselineScheme, reportRefusals, showPlannedRestore } from "./baseline-documents.js";
import { Checkpoints } from "./checkpoints.js";
import { DocumentTexts } from "./document-texts.js";
import { DiskWatcher } from "./disk-watcher.js";
import type { FileText } from "./engine/file-review.js";
import { parseOpaque } from "./engine/opaque-text.js";
import { GatheredChanges } from "./gathered-changes.js";
import { HunkDecorations, HunkLenses } from "./hunk-marks.js";
import { OpenTurns } from "./open-turns.js";
import { type PlannedRestore, type Refusal, ReviewAnswers, type UndoOutcome } from "./review-answers.js";
import { ReviewBook } from "./review-book.js";
import type { ReviewedTurns } from "./review-observer.js";
import { openTurnsFile } from "./review-start.js";
import { RestoredFiles } from "./restored-files.js";
import { takeUp } from "./review-restart.js";
import { ReviewStore } from "./review-store.js";
import { noteOthers, type RunningTurn } from "./running-turn.js";
import { type FoundChange, SnapshotTurn } from "./snapshot-turn.js";
import type { FileTruth } from "./true-files.js";
import { TurnWork } from "./turn-work.js";

interface ReviewOptions {
  /** A file of our own in the workspace's storage. */
  readonly storeFile: string;
  readonly messages: ViewMessages;
  readonly snapshots: Pick<Snapshots, "take" | "changesSince" | "content" | "lastKnown">;
  /** Whether changes are marked in the files; the lists of changed files are there in any case. */
  readonly isMarked: () => boolean;
  /** A tab's list of changed files is another now. */
  readonly onChangedFiles: (tabId: string, files: readonly ChangedFile[]) => void;
  readonly onProblem: (error: unknown) => void;
}

/** A prompt does not wait longer for the snapshot of its folders than this. */
const maxSnapshotWaitMs = 3_000;

/** The next prompt does not wait longer than this for what the turn before it changed to be found. */
const maxEndWaitMs = 30_000;

/**
 * The review of everything that agents change: which lines, in which files, since when; shown in the files
 * themselves, and kept or undone change by change, file by file or all at once. Never blocks the agent. Of a file that
 * others change too, the disk and the unsaved documents are read again before each answer.
 */
export class Review implements ReviewedTurns, vscode.Disposable {
  readonly book = new ReviewBook();
  readonly checkpoints = new Checkpoints();
  readonly answers: ReviewAnswers;
  readonly restored: RestoredFiles;
  readonly #texts: DocumentTexts;
  readonly #options: ReviewOptions;
  readonly #changes: AgentChanges;
  readonly #store: ReviewStore;
  readonly #baselines: BaselineDocuments;
  readonly #lenses: HunkLenses;
  readonly #decorations: HunkDecorations;
  readonly #watcher: DiskWatcher;
  readonly #openTurns: OpenTurns;
  readonly #running = new Map<string, RunningTurn>();
  /** Tabs whose lists of changed files are to be told anew. */
  readonly #listed = new Set<string>();
  readonly #gathered = new GatheredChanges(() => this.#tell());
  #isClosing = false;
  readonly #disposables: readonly { dispose(): unknown }[];

  constructor(options: ReviewOptions) {
    this.#options = options;
    const { snapshots } = options;
    this.#texts = new DocumentTexts({
      content: (hash) => snapshots.content(hash),
      lastMode: async (path) => {
        const entry = await snapshots.lastKnown(path);
        return entry?.kind === "file" ? entry.mode : undefined;
      },
    });
    this.#store = new ReviewStore(options.storeFile, options.onProblem);
    this.#openTurns = new OpenTurns(openTurnsFile(options.storeFile));
    this.#baselines = new BaselineDocuments(this.book);
    this.#lenses = new HunkLenses(this.book, options.isMarked);
    this.#decorations = new HunkDecorations(this.book, options.isMarked);
    this.#watcher = new DiskWatcher((path) => void this.#diskChanged(path));
    this.answers = new ReviewAnswers(this.book, this.#texts, (path, truth) => this.#learned(path, truth));
    this.restored = new RestoredFiles(this.answers, () => this.#save());
    this.#changes = new AgentChanges(this.#texts, {
      current: (path) => this.book.current(path),
      knows: (path, text) => this.book.knows(path, text),
      unknownChanged: (path, text) => this.book.unknownChanged(path, text),
      agentChanged: (tabId, path, before, after) => this.#record(tabId, path, before, after),
    });
    this.book.onChange = (path) => this.#refresh(path);
    this.#disposables = [
      this.#texts,
      this.#openTurns,
      this.#watcher,
      this.#baselines,
      this.#lenses,
      this.#decorations,
      vscode.workspace.registerTextDocumentContentProvider(baselineScheme, this.#baselines),
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this.#lenses),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#decorations.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#setContext()),
      vscode.workspace.onDidChangeTextDocument((event) => this.#documentChanged(event)),
      vscode.workspace.onDidSaveTextDocument((document) =>
        this.#changes.fileSaved(document.uri.fsPath, document.getText()),
      ),
      options.messages.on("review", ({ tabId, action, uri }) => this.answer(action, tabId, uri)),
    ];
  }

  /** Takes up what was under review when the window was last open, and what a turn changed that it did not see the end of. */
  async restore(): Promise<void> {
    const { book, checkpoints, restored } = this;
    const parts = { book, checkpoints, restored, texts: this.#texts, snapshots: this.#options.snapshots };
    // What is stored meanwhile would lack what has yet to be taken up.
    await this.#gathered.take(async () => {
      const [stored, left] = await Promise.all([this.#store.load(), this.#openTurns.left()]);
      this.#tellUnseen(await takeUp(stored, left, { ...parts, record: (...change) => this.#record(...change) }));
    });
  }

  /** An agent is about to work in these folders: their first snapshot, which takes longest, is made meanwhile. */
  prepare(roots: readonly string[]): void {
    for (const root of outermost(roots)) void this.#options.snapshots.take(root);
  }

  /** The user wants changes marked, or no longer does. */
  marksChanged(): void {
    this.#lenses.changed();
    this.#decorations.refresh();
    this.#setContext();
  }

  /** A turn begins in these folders. Resolves when they are known, or that takes too long to wait for. */
  async promptStarted(tabId: string, messageId: string, roots: readonly string[]): Promise<void> {
    const startedAtMs = Date.now();
    const folders = SnapshotTurn.begin(outermost(roots), this.#options.snapshots, this.#texts).catch(() => undefined);
    // Before the agent begins, whatever differs is somebody else's.
    const learned = this.#learnAll();
    const others = new Set<string>();
    const turn = { folders, known: new Set<string>(), others, work: new TurnWork(startedAtMs) };
    this.#running.set(tabId, turn);
    this.checkpoints.promptStarted(tabId, messageId);
    this.restored.forget(tabId);
    const noted = folders.then((begun) => {
      if (this.#running.get(tabId) === turn)
        this.#openTurns.begin({ tabId, messageId, startedAtMs, begun: [...(begun?.begun ?? [])] }, others);
    });
    await Promise.race([Promise.all([noted, learned]), wait(maxSnapshotWaitMs, undefined, { ref: false })]);
  }

  /** Whether a turn of the tab has not ended. */
  isRunning(tabId: string): boolean {
    return this.#running.has(tabId);
  }

  toolCall(tabId: string, call: WatchedToolCall): void {
    this.#running.get(tabId)?.work.note(call, Date.now());
    this.#changes.toolCall(tabId, call);
  }

  /** A command of the agent's begins in a terminal of ours, or is over: its tool call may be told later than it writes. */
  commandRan(tabId: string, terminalId: string, isOver: boolean): void {
    const call = { id: `terminal ${terminalId}`, kind: "execute", status: isOver ? "completed" : "in_progress" };
    this.#running.get(tabId)?.work.note(call, Date.now());
  }

  /** We wrote for the agent. */
  written(tabId: string, path: string, before: FileText, after: FileText, wasUnsaved = false): void {
    this.#changes.written(tabId, path, before, after, wasUnsaved);
  }

  /** The window closes: of the turns that run, the next one finds the end. */
  detach(): void {
    this.#isClosing = true;
    this.#openTurns.leave();
  }

  /** Resolves when every change of the turn is under review, or that takes too long to wait for. */
  async turnEnded(tabId: string): Promise<void> {
    const turn = this.#running.get(tabId);
    await this.#changes.turnEnded(tabId);
    if (this.#isClosing) return;
    // The next turn may have begun meanwhile.
    if (this.#running.get(tabId) === turn) this.#running.delete(tabId);
    const end = this.#findRest(tabId, turn)
      .catch(this.#options.onProblem)
      .finally(() => {
        if (turn && !this.#isClosing && this.#running.get(tabId) === undefined) this.#openTurns.end(tabId);
      });
    await Promise.race([end, wait(maxEndWaitMs, undefined, { ref: false })]);
  }

  /** Finds what a turn changed without saying so. */
  async #findRest(tabId: string, turn: RunningTurn | undefined): Promise<void> {
    const hasWorked = turn?.work.hasBegun === true;
    const rest = hasWorked ? await (await turn.folders)?.end((path) => turn.known.has(path)) : undefined;
    this.#tellUnseen(rest?.unseen ?? 0);
    await this.#gathered.take(async () => {
      if (hasWorked) await this.#takeIn(tabId, turn, rest?.found ?? []);
      // What the agent did to open documents came as reloads that nobody was blamed for.
      await this.#learnAll();
    });
  }

  async #takeIn(tabId: string, { work }: RunningTurn, found: readonly FoundChange[]): Promise<void> {
    for (const { path, before, after } of found) {
      const { writtenAtMs } = await this.#texts.truth(path);
      if (!work.cannotHaveWrittenAt(writtenAtMs)) this.#record(tabId, path, before, after);
    }
    // A formatter or a script of the agent's may have gone over what its tool calls wrote before.
    for (const { path, review } of this.book.files(tabId)) {
      const { text, isTorn, writtenAtMs } = await this.#texts.truth(path);
      if (text === undefined || isTorn || text === review.current) continue;
      if (work.mayHaveWrittenAt(writtenAtMs)) this.#record(tabId, path, review.current, text);
    }
  }

  tabClosed(tabId: string): void {
    this.#running.delete(tabId);
    this.#openTurns.end(tabId);
    this.book.tabClosed(tabId);
    this.checkpoints.tabClosed(tabId);
    this.restored.forget(tabId);
    this.#save();
  }

  changedFiles(tabId: string): ChangedFile[] {
    return this.book.files(tabId).map(({ path, review }) => ({
      uri: vscode.Uri.file(path).toString(),
      label: vscode.workspace.asRelativePath(path),
      ...(parseOpaque(review.baseline) || parseOpaque(review.current) ? { added: 0, removed: 0 } : review.counts),
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
    const refusals: Refusal[] = [];
    for (const path of paths) {
      if (action === "keep") await this.keep(path);
      else {
        const { refusal } = await this.#undo(path);
        if (refusal) refusals.push(refusal);
      }
    }
    this.#gathered.tellNow();
    this.report(refusals);
  }

  /** Keeps one change of a file, or all of them. False where there is no such change any more. */
  async keep(path: string, hunkId?: string): Promise<boolean> {
    await this.#changes.settled();
    return this.answers.keep(path, hunkId);
  }

  /**
   * Undoes one change of a file, or all of them, in the file; tells the user what it leaves and why. False where there
   * is no such change any more.
   */
  async undo(path: string, hunkId?: string): Promise<boolean> {
    const { isUndone, refusal } = await this.#undo(path, hunkId);
    if (refusal) this.report([refusal]);
    return isUndone || refusal !== undefined;
  }

  /** Tells the user which files were left as they are. */
  report(refusals: readonly Refusal[]): void {
    reportRefusals(this.#baselines, refusals);
  }

  /** Shows what going back to a prompt would do. */
  async showPlanned(files: readonly PlannedRestore[]): Promise<void> {
    await showPlannedRestore(this.#baselines, files);
  }

  async #undo(path: string, hunkId?: string): Promise<UndoOutcome> {
    await this.#changes.settled();
    return this.answers.undo(path, hunkId);
  }

  /** Resolves when everything is on disk. */
  async flush(): Promise<void> {
    this.#gathered.tellNow();
    await Promise.all([this.#store.flush(), this.#openTurns.flush()]);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #record(tabId: string, path: string, before: FileText, after: FileText): void {
    this.#running.get(tabId)?.known.add(path);
    this.checkpoints.changed(tabId, path, before, after);
    this.book.agentChanged(tabId, path, before, after);
  }

  /** A file has a text that nobody told us of. */
  #learned(path: string, { text, writtenAtMs }: FileTruth & { readonly text: FileText }): void {
    for (const [tabId, { work }] of this.#running) {
      if (!work.mayHaveWrittenAt(writtenAtMs)) continue;
      // While its calls run, what is the agent's shows when they end.
      if (work.isGoingOn) this.book.unknownChanged(path, text);
      else this.#record(tabId, path, this.book.current(path) ?? null, text);
      return;
    }
    this.book.userChanged(path, text);
  }

  async #learnAll(): Promise<void> {
    await this.#changes.settled();
    for (const { path } of this.book.files()) await this.answers.learn(path);
  }

  async #diskChanged(path: string): Promise<void> {
    this.#changes.fileChanged(path);
    const turns = [...this.#running.values()];
    const isUnderReview = this.book.find(path)?.review.isReviewed === false;
    if (turns.length > 0) {
      const { writtenAtMs } = await this.#texts.truth(path);
      // What comes while no tool call runs is no command's doing.
      for (const turn of turns) if (turn.work.cannotHaveWrittenAt(writtenAtMs)) noteOthers(turn, path);
      if (turns.some(({ work }) => work.isGoingOn)) return;
    }
    await this.#changes.settled();
    if (isUnderReview) await this.answers.learn(path);
  }

  #documentChanged({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.scheme !== "file") return;
    const path = document.uri.fsPath;
    // What the user types while a turn runs is no command's doing. That a document is dirty comes after its first change, alone.
    if (document.isDirty) for (const turn of this.#running.values()) noteOthers(turn, path);
    if (contentChanges.length === 0 || !this.book.find(path)) return;
    // A clean document that changes was reloaded from disk, which tells the rest.
    if (document.isDirty) this.book.userChanged(path, document.getText());
    else {
      void this.#diskChanged(path);
      this.#decorations.refresh(path);
    }
  }

  #refresh(path: string): void {
    this.#baselines.changed(path);
    this.#lenses.changed();
    this.#decorations.refresh(path);
    for (const tabId of this.book.find(path)?.tabIds ?? []) this.#listed.add(tabId);
    // Hundreds of files may change at once.
    this.#gathered.changed();
  }

  /** Tells what has changed in the book to the pages, the keys and the disk. */
  #tell(): void {
    const tabIds = [...this.#listed];
    this.#listed.clear();
    for (const tabId of tabIds) this.#options.onChangedFiles(tabId, this.changedFiles(tabId));
    this.#setContext();
    this.#save();
  }

  #tellUnseen(count: number): void {
    if (count === 0) return;
    const text = vscode.l10n.t("Too many files changed to review them here: {0} more stay as they are.", count);
    void vscode.window.showWarningMessage(text);
  }

  #setContext(): void {
    const path = vscode.window.activeTextEditor?.document.uri.fsPath;
    const isMarked =
      this.#options.isMarked() && path !== undefined && this.book.find(path)?.review.isReviewed === false;
    void vscode.commands.executeCommand("setContext", "symposium.review.fileHasChanges", isMarked);
    void vscode.commands.executeCommand("setContext", "symposium.review.hasChanges", this.book.files().length > 0);
  }

  #save(): void {
    if (this.#gathered.isTaking) return;
    this.#watcher.watch(this.book.files().map(({ path }) => path));
    this.#store.save(() => ({
      reviews: this.book.store(),
      checkpoints: this.checkpoints.storeAll(),
      restores: this.restored.store(),
    }));
  }
}
