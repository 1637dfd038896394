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
import { HunkDecorations, HunkLenses } from "./hunk-marks.js";
import { OpenTurns } from "./open-turns.js";
import { type PlannedRestore, type Refusal, ReviewAnswers, type UndoOutcome } from "./review-answers.js";
import { ReviewBook } from "./review-book.js";
import type { ReviewedTurns } from "./review-observer.js";
import { openTurnsFile } from "./review-start.js";
import { RestoredFiles } from "./restored-files.js";
import { ReviewStore } from "./review-store.js";
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

/** After its window was killed an agent goes on for no longer than this. */
const maxAfterlifeMs = 10_000;

/** A running turn: its folders when it began, and the files whose changes are accounted for. */
interface Turn {
  readonly folders: Promise<SnapshotTurn | undefined>;
  readonly known: Set<string>;
  readonly work: TurnWork;
}

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
  readonly #running = new Map<string, Turn>();
  /** Tabs whose lists of changed files are to be told anew. */
  readonly #listed = new Set<string>();
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
    const [{ reviews, checkpoints, restores }, left] = await Promise.all([this.#store.load(), this.#openTurns.left()]);
    for (const [tabId, stored] of Object.entries(checkpoints)) this.checkpoints.restore(tabId, stored);
    this.restored.load(restores);
    for (const { path, baseline, current } of reviews)
      if ([baseline, current].some((text) => parseOpaque(text)?.kind === "link")) this.#texts.asLink(path);
    const changed = new Map<string, FoundChange & { readonly tabId: string }>();
    for (const { tabId, messageId, startedAtMs, begun } of left?.turns ?? []) {
      this.checkpoints.promptStarted(tabId, messageId);
      const turn = SnapshotTurn.resumed(begun, this.#options.snapshots, this.#texts);
      for (const found of await turn.end(() => false)) {
        const { writtenAtMs = startedAtMs } = await this.#texts.truth(found.path);
        const isAfter = writtenAtMs > (left?.aliveAtMs ?? 0) + maxAfterlifeMs;
        if (!isAfter) changed.set(found.path, { ...found, tabId });
      }
    }
    for (const stored of reviews) {
      const now = changed.has(stored.path) ? stored.current : await this.#texts.read(stored.path);
      if (now !== undefined) this.book.restore(stored, now);
    }
    for (const { tabId, path, before, after } of changed.values())
      this.#record(tabId, path, this.book.current(path) ?? before, after);
    this.#tellLists();
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
    const turn = { folders, known: new Set<string>(), work: new TurnWork(startedAtMs) };
    this.#running.set(tabId, turn);
    this.checkpoints.promptStarted(tabId, messageId);
    this.restored.forget(tabId);
    const noted = folders.then((begun) => {
      if (this.#running.get(tabId) === turn)
        this.#openTurns.begin({ tabId, messageId, startedAtMs, begun: [...(begun?.begun ?? [])] });
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

  /** Resolves when every change of the turn is under review. */
  async turnEnded(tabId: string): Promise<void> {
    const turn = this.#running.get(tabId);
    await this.#changes.turnEnded(tabId);
    // The next turn may have begun meanwhile.
    if (this.#running.get(tabId) === turn) this.#running.delete(tabId);
    if (turn?.work.hasBegun === true) {
      const found = await (await turn.folders)?.end((path) => turn.known.has(path));
      for (const { path, before, after } of found ?? []) {
        const { writtenAtMs } = await this.#texts.truth(path);
        if (!turn.work.cannotHaveWrittenAt(writtenAtMs)) this.#record(tabId, path, before, after);
      }
      // A formatter or a script of the agent's may have gone over what its tool calls wrote before.
      for (const { path, review } of this.book.files(tabId)) {
        const { text, isTorn, writtenAtMs } = await this.#texts.truth(path);
        if (text === undefined || isTorn || text === review.current) continue;
        if (turn.work.mayHaveWrittenAt(writtenAtMs)) this.#record(tabId, path, review.current, text);
      }
    }
    // What the agent did to open documents came as reloads that nobody was blamed for.
    await this.#learnAll();
    if (this.#running.get(tabId) === undefined) this.#openTurns.end(tabId);
    this.#tellLists();
    this.#save();
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
    this.#tellLists();
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
      for (const { work, known } of turns) if (work.cannotHaveWrittenAt(writtenAtMs)) known.add(path);
      if (turns.some(({ work }) => work.isGoingOn)) return;
    }
    await this.#changes.settled();
    if (isUnderReview) await this.answers.learn(path);
  }

  #documentChanged({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.scheme !== "file" || contentChanges.length === 0) return;
    const path = document.uri.fsPath;
    // What the user types while a turn runs is no command's doing.
    if (document.isDirty) for (const { known } of this.#running.values()) known.add(path);
    if (!this.book.find(path)) return;
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
    this.#setContext();
    // Hundreds of files may change at once.
    if (this.#listed.size === 0) setImmediate(() => this.#tellLists());
    for (const tabId of this.book.find(path)?.tabIds ?? []) this.#listed.add(tabId);
    this.#save();
  }

  #tellLists(): void {
    const tabIds = [...this.#listed];
    this.#listed.clear();
    for (const tabId of tabIds) this.#options.onChangedFiles(tabId, this.changedFiles(tabId));
  }

  #setContext(): void {
    const path = vscode.window.activeTextEditor?.document.uri.fsPath;
    const isMarked =
      this.#options.isMarked() && path !== undefined && this.book.find(path)?.review.isReviewed === false;
    void vscode.commands.executeCommand("setContext", "symposium.review.fileHasChanges", isMarked);
    void vscode.commands.executeCommand("setContext", "symposium.review.hasChanges", this.book.files().length > 0);
  }

  #save(): void {
    this.#watcher.watch(this.book.files().map(({ path }) => path));
    this.#store.save(() => ({
      reviews: this.book.store(),
      checkpoints: this.checkpoints.storeAll(),
      restores: this.restored.store(),
    }));
  }
}
