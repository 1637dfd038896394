import { messageOf } from "@symposium-dev/core";
import * as vscode from "vscode";
import type { ChangedFile } from "../../../protocol/index.js";
import type { ViewMessages } from "../pages/message-hub.js";
import { outermost, type Snapshots } from "../snapshots/snapshots.js";
import type { WatchedToolCall } from "./turns/agent-changes.js";
import { AllChangesMode } from "./all-changes/all-changes-mode.js";
import { BaselineDocuments, baselineScheme } from "./marks/baseline-documents.js";
import { reportRefusals } from "./refusal-report.js";
import { wordsOfChange } from "./marks/change-words.js";
import { ChangesEditor } from "./marks/changes-editor.js";
import { Checkpoints } from "./restore/checkpoints.js";
import { type CommentDelivery, CommentThreads } from "./comments/comment-threads.js";
import { DocumentTexts } from "./files/document-texts.js";
import { DiskWatcher } from "./files/disk-watcher.js";
import type { FileText } from "./hunks/file-review.js";
import { parseOpaque } from "./hunks/opaque-text.js";
import { labelBelow } from "./marks/file-label.js";
import { GatheredChanges } from "./turns/gathered-changes.js";
import { HandedOverReview, type KeptReviewOptions } from "./store/handed-over-review.js";
import { offerRedo } from "./restore/offer-redo.js";
import { type Refusal, ReviewAnswers } from "./review-answers.js";
import { EditHereChanges } from "./edit-here-changes.js";
import { ReviewBook } from "./review-book.js";
import { ReviewMarks } from "./marks/review-marks.js";
import type { ReviewedTurns } from "./turns/review-observer.js";
import { allChangesFile, openTurnsFile } from "./store/review-start.js";
import { RestoredFiles } from "./restore/restored-files.js";
import { ReviewTurns } from "./turns/review-turns.js";
import type { FileTruth } from "./files/current-files.js";
import { UndoneFiles } from "./restore/undone-files.js";
import { programWriter } from "./turns/writers.js";

interface ReviewOptions {
  readonly place: KeptReviewOptions["place"];
  readonly adoptBeside: KeptReviewOptions["adoptBeside"];
  readonly messages: ViewMessages;
  readonly snapshots: Pick<Snapshots, "take" | "changesSince" | "content" | "lastKnown">;
  /** Root of the tab's worktree, for the labels of its files; undefined for a tab without one. */
  readonly worktreeOf?: (tabId: string) => string | undefined;
  /** Whether changes are marked in the files; the lists of changed files are there in any case. */
  readonly isMarked: () => boolean;
  /** Whether marks show the removed lines. */
  readonly showsRemoved: () => boolean;
  /** A tab's list of changed files is another now. */
  readonly onChangedFiles: (tabId: string, files: readonly ChangedFile[]) => void;
  readonly onProblem: (error: unknown) => void;
  /** Where comments on changes go. */
  readonly delivery: CommentDelivery;
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
  readonly comments: CommentThreads;
  readonly allChanges: AllChangesMode;
  readonly edits: EditHereChanges;
  /** Earlier versions of files, to be shown beside them. */
  readonly baselines: BaselineDocuments;
  readonly changesEditor: ChangesEditor;
  readonly #texts: DocumentTexts;
  readonly #options: ReviewOptions;
  readonly #turns: ReviewTurns;
  readonly #kept: HandedOverReview;
  readonly #marks: ReviewMarks;
  readonly #watcher: DiskWatcher;
  /** Tabs whose lists of changed files are to be told anew. */
  readonly #listed = new Set<string>();
  readonly #gathered = new GatheredChanges(() => this.#tell());
  readonly #disposables: readonly { dispose(): unknown }[];
  #adopted: Promise<void> = Promise.resolve();

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
    this.baselines = new BaselineDocuments(this.book);
    this.changesEditor = new ChangesEditor(this.book);
    this.comments = new CommentThreads({ ...options, book: this.book, changed: () => this.#gathered.changed() });
    this.#marks = new ReviewMarks(this.book, options.isMarked, options.showsRemoved, this.comments);
    this.#watcher = new DiskWatcher((path) => void this.#diskChanged(path));
    this.answers = new ReviewAnswers(this.book, this.#texts, (path, truth) => this.#learned(path, truth));
    this.edits = new EditHereChanges(this.book, this.#texts);
    this.restored = new RestoredFiles(this.answers, () => this.#save());
    const { book, checkpoints, comments, restored, answers } = this;
    const { onProblem, place } = options;
    const shared = {
      ...{ book, checkpoints, restored, snapshots, onProblem },
      texts: this.#texts,
      gathered: this.#gathered,
      stored: () => this.#kept.stored(),
      onUnseen: (count: number) => this.#tellUnseen(count),
    };
    const learnAll = (isKnown?: ReadonlySet<string>): Promise<void> => this.#learnAll(isKnown);
    this.#turns = new ReviewTurns({ ...shared, openTurnsFile: openTurnsFile(place.file), learnAll });
    const adoptBeside = async (file: string): Promise<void> => {
      await options.adoptBeside(file);
      await this.allChanges.adopt(allChangesFile(file));
    };
    this.#kept = new HandedOverReview({ ...options, ...shared, comments, turns: this.#turns, adoptBeside });
    const storeFile = allChangesFile(place.file);
    this.allChanges = new AllChangesMode({ ...shared, storeFile, answers, turns: this.#turns });
    this.book.onChange = (path) => this.#refresh(path);
    this.#disposables = [
      this.#texts,
      this.#turns.openTurns,
      this.allChanges,
      this.#watcher,
      this.baselines,
      this.#marks,
      vscode.workspace.registerTextDocumentContentProvider(baselineScheme, this.baselines),
      vscode.workspace.onDidChangeTextDocument((event) => this.#documentChanged(event)),
      vscode.workspace.onDidSaveTextDocument((document) =>
        this.#turns.changes.fileSaved(document.uri.fsPath, document.getText()),
      ),
      options.messages.on("review", ({ tabId, action, uri }) => this.answer(action, tabId, uri)),
    ];
  }

  /**
   * Takes up what was under review when the window was last open, and what a turn changed that it did not see the end of,
   * as soon as `tabs` are back. To be called before anything else happens: until it resolves, nothing is stored, which
   * would lack what has yet to be taken up.
   */
  async restore(tabs: Promise<unknown> = Promise.resolve()): Promise<void> {
    try {
      if (!(await this.#kept.restore(tabs))) return;
    } catch (error) {
      this.#notRestored(error);
      this.allChanges.tookOver();
      return;
    }
    await this.allChanges.restore();
    // It may have to wait for a window that is closing.
    const adopting = this.#kept.adoptLeft().catch(this.#options.onProblem);
    this.#adopted = adopting.finally(() => this.allChanges.tookOver());
  }

  /** Resolves when what closing windows left is taken over, too. To be asked after {@link restore}. */
  get adopted(): Promise<void> {
    return this.#adopted;
  }

  /** An agent is about to work in these folders: their first snapshot, which takes longest, is made meanwhile. */
  prepare(roots: readonly string[]): void {
    for (const root of outermost(roots)) void this.#options.snapshots.take(root);
  }

  /** The user wants changes marked, or no longer does. */
  marksChanged(): void {
    this.#marks.refresh();
    this.#marks.setContext();
  }

  /** A turn begins in these folders. Resolves when they are known, or that takes too long to wait for. */
  promptStarted(tabId: string, messageId: string, roots: readonly string[]): Promise<void> {
    return this.#turns.begin(tabId, messageId, roots);
  }

  /** Whether a turn of the tab has not ended. */
  isRunning(tabId: string): boolean {
    return this.#turns.isRunning(tabId);
  }

  toolCall(tabId: string, call: WatchedToolCall): void {
    this.#turns.toolCall(tabId, call);
  }

  /** A command of the agent's begins in a terminal of ours, or is over. */
  commandRan(tabId: string, terminalId: string, isOver: boolean): void {
    this.#turns.commandRan(tabId, terminalId, isOver);
  }

  /** We wrote for the agent. */
  written(tabId: string, path: string, before: FileText, after: FileText, wasUnsaved = false): void {
    this.#turns.changes.written(tabId, path, before, after, wasUnsaved);
  }

  /** The window closes: of the turns that run, the next one finds the end. */
  detach(): void {
    this.#turns.detach();
    this.#kept.detach();
    this.allChanges.close();
  }

  /** Resolves when every change of the turn is under review, or that takes too long to wait for. */
  async turnEnded(tabId: string): Promise<void> {
    await this.#turns.end(tabId);
    // Of what was left to the turn, the rest is somebody else's.
    void this.allChanges.noticed();
  }

  tabClosed(tabId: string): void {
    this.#turns.forget(tabId);
    this.book.tabClosed(tabId);
    this.checkpoints.tabClosed(tabId);
    this.restored.forget(tabId);
    this.#save();
  }

  changedFiles(tabId: string): ChangedFile[] {
    return this.book.files(tabId).map((file) => {
      const { path, review } = file;
      const words = wordsOfChange(file);
      return {
        uri: vscode.Uri.file(path).toString(),
        label: this.labelOf(tabId, path),
        ...(parseOpaque(review.baseline) || parseOpaque(review.current) ? { added: 0, removed: 0 } : review.counts),
        state: review.state,
        ...(words.length > 0 && { note: words.join(", ") }),
      };
    });
  }

  /** The path of a file below the tab's worktree, or below the workspace. */
  labelOf(tabId: string, path: string): string {
    const root = this.#options.worktreeOf?.(tabId);
    return (root === undefined ? undefined : labelBelow(root, path)) ?? vscode.workspace.asRelativePath(path);
  }

  /** Keeps, undoes or opens one file, or all files of a tab. */
  async answer(action: "open" | "keep" | "undo", tabId: string | undefined, uri?: string): Promise<void> {
    if (action === "open") {
      const command = uri === undefined ? "symposium.review.openAll" : "symposium.review.openFile";
      const file = uri === undefined ? {} : { path: vscode.Uri.parse(uri).fsPath };
      await vscode.commands.executeCommand(command, { tabId, ...file });
      return;
    }
    const paths = uri === undefined ? this.book.files(tabId).map(({ path }) => path) : [vscode.Uri.parse(uri).fsPath];
    if (action === "undo") return this.#undoAll(paths.map((path) => ({ path })));
    // Once for all: with each file that is written, there would be something to look at again.
    await this.#settled();
    for (const path of paths) await this.answers.keep(path);
    this.#gathered.tellNow();
  }

  /** Undoes changes of files; tells what it leaves and why, and offers to redo it. */
  async #undoAll(wanted: readonly { path: string; hunkId?: string | undefined }[], withOthers = false): Promise<void> {
    const refusals: Refusal[] = [];
    const undone = new UndoneFiles(this.answers);
    await this.#settled();
    for (const { path, hunkId } of wanted) {
      const outcome = await this.answers.undo(path, hunkId, withOthers);
      if (outcome.refusal) refusals.push(outcome.refusal);
      undone.add(path, [...(this.book.find(path)?.tabIds ?? [])].at(-1), outcome);
    }
    this.#gathered.tellNow();
    this.report(refusals);
    void offerRedo(undone, withOthers ? 1 : 2, (left) => this.report(left));
  }

  /** Keeps one change of a file, or all of them. False where there is no such change any more. */
  async keep(path: string, hunkId?: string): Promise<boolean> {
    await this.#settled();
    return this.answers.keep(path, hunkId);
  }

  /**
   * Undoes one change of a file, or all of them, in the file; tells the user what it leaves and why. False where there
   * is no such change any more.
   */
  async undo(path: string, hunkId?: string): Promise<boolean> {
    await this.#settled();
    const { isUndone, refusal } = await this.answers.undo(path, hunkId);
    if (refusal) this.report([refusal]);
    return isUndone || refusal !== undefined;
  }

  /** A file that is about to be made with this text begins with a byte order mark. */
  wasMarked(path: string, text: string): void {
    this.#texts.wasMarked(path, text);
  }

  /** Tells the user which files were left as they are. */
  report(refusals: readonly Refusal[]): void {
    const undoBoth = (mixed: readonly Refusal[]): Promise<void> =>
      this.#undoAll(
        mixed.map(({ path, undo }) => ({ path, hunkId: undo?.hunkId })),
        true,
      );
    reportRefusals(this.baselines, refusals, undoBoth);
  }

  /** Resolves when everything is on disk. */
  async flush(): Promise<void> {
    this.#gathered.tellNow();
    // First what is known: an editor that closes does not wait for long.
    await Promise.all([this.#kept.flush(), this.#turns.openTurns.flush()]);
    // Then what is being looked at, or written, at this moment.
    await Promise.all([this.#turns.changes.settled(), this.answers.settled()]);
    await this.#kept.stored();
    await Promise.all([this.#turns.openTurns.flush(), this.allChanges.flush()]);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  /** Before an answer: all that is over is in the book. */
  async #settled(): Promise<void> {
    await this.#turns.settledSoon();
    await this.allChanges.settled();
  }

  /** A file has a text that nobody told us of. */
  #learned(path: string, truth: FileTruth & { readonly text: FileText }): void {
    if (this.#turns.learned(path, truth)) return;
    const { text, writtenAtMs } = truth;
    // What the mode has not looked at yet is on disk, and nobody else's.
    if (this.allChanges.isOn && writtenAtMs !== undefined)
      this.#turns.record(programWriter, path, this.book.current(path) ?? null, text);
    else this.book.userChanged(path, text);
  }

  async #learnAll(isKnown?: ReadonlySet<string>): Promise<void> {
    await this.#turns.changes.settled();
    // The mode looks at all files by and by, and knows whose the changes are.
    if (!this.allChanges.isOn) await this.answers.learnAll(isKnown);
  }

  async #diskChanged(path: string): Promise<void> {
    this.#turns.changes.fileChanged(path);
    // A file that was answered by being removed, or put back, may come again: git stash takes changes away for a while.
    const isKnown = this.allChanges.isOn ? this.book.isOpen(path) : this.book.find(path) !== undefined;
    if (this.#turns.hasRunning) this.#turns.noteDisk(path, await this.#texts.truth(path));
    const noticed = this.allChanges.noticed();
    if (this.#turns.isWorking) return;
    await this.#turns.changes.settled();
    await noticed;
    if (isKnown) await this.answers.learn(path);
  }

  #documentChanged(event: vscode.TextDocumentChangeEvent): void {
    const { document, contentChanges } = event;
    if (document.uri.scheme !== "file") return;
    const isOfEditor = this.allChanges.isOfEditor(event);
    const path = document.uri.fsPath;
    // What the user types while a turn runs is no command's doing. That a document is dirty comes after its first change, alone.
    if (document.isDirty) this.#turns.noteOthers(path);
    if (contentChanges.length === 0 || isOfEditor || !this.book.find(path)) return;
    // A clean document that changes was reloaded from disk, which tells the rest.
    if (document.isDirty) this.book.userChanged(path, document.getText());
    else void this.#diskChanged(path);
    // The book may have the text already, as after an answer, and then tells nobody.
    this.#marks.redraw(path);
  }

  #refresh(path: string): void {
    this.baselines.changed(path);
    this.#marks.refresh(path);
    for (const tabId of this.book.find(path)?.tabIds ?? []) this.#listed.add(tabId);
    // Hundreds of files may change at once.
    this.#gathered.changed();
  }

  /** Tells what has changed in the book to the pages, the keys and the disk. */
  #tell(): void {
    const tabIds = [...this.#listed];
    this.#listed.clear();
    for (const tabId of tabIds) this.#options.onChangedFiles(tabId, this.changedFiles(tabId));
    this.#marks.setContext();
    this.changesEditor.changed();
    this.allChanges.showCount();
    this.#save();
  }

  #notRestored(error: unknown): void {
    this.#options.onProblem(error);
    const text = vscode.l10n.t(
      "Couldn't read the changes under review: {0}. The file is kept. New changes are reviewed, but not stored until you reload the window.",
      messageOf(error),
    );
    void vscode.window.showWarningMessage(text);
  }

  #tellUnseen(count: number): void {
    if (count === 0) return;
    const text = vscode.l10n.t("Too many changed files to review: {0} more are not shown.", count);
    void vscode.window.showWarningMessage(text);
  }

  #save(): void {
    // Those that are answered, too: their changes may come back.
    if (!this.#gathered.isTaking) this.#watcher.watch(this.book.paths());
    this.#kept.save();
  }
}
