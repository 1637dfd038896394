import * as l10n from "@vscode/l10n";
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
import { OpenDocuments } from "./files/open-documents.js";
import { DiskWatcher } from "./files/disk-watcher.js";
import type { FileText } from "./hunks/file-review.js";
import { parseOpaque } from "./hunks/opaque-text.js";
import { labelBelow } from "./marks/file-label.js";
import { GatheredChanges } from "./turns/gathered-changes.js";
import { HandedOverReview, type KeptReviewOptions } from "./store/handed-over-review.js";
import { offerRedo } from "./restore/offer-redo.js";
import { changedOf, type Refusal, ReviewAnswers } from "./review-answers.js";
import { EditHereChanges } from "./edit-here-changes.js";
import { ReviewBook } from "./review-book.js";
import { ReviewMarks } from "./marks/review-marks.js";
import type { ReviewedTurns } from "./turns/review-observer.js";
import { allChangesFile, openTurnsFile } from "./store/review-file-paths.js";
import { RestoredFiles } from "./restore/restored-files.js";
import { ReviewTurns } from "./turns/review-turns.js";
import type { FileTruth } from "./files/compare-and-write-contract.js";
import { UndoneFiles } from "./restore/undone-files.js";
import { reportUnsaved } from "./unsaved-report.js";
import { programWriter } from "./turns/writer-id.js";

interface ReviewOptions {
  readonly place: KeptReviewOptions["place"];
  readonly adoptBeside: KeptReviewOptions["adoptBeside"];
  readonly messages: ViewMessages;
  readonly snapshots: Pick<Snapshots, "take" | "changesSince" | "content" | "lastKnown">;
  /** Returns the root of the tab's worktree, which file labels are relative to; undefined if the tab has no worktree. */
  readonly worktreeOf?: (tabId: string) => string | undefined;
  readonly isMarked: () => boolean;
  readonly showsRemoved: () => boolean;
  readonly onChangedFiles: (tabId: string, files: readonly ChangedFile[]) => void;
  readonly onProblem: (error: unknown) => void;
  readonly delivery: CommentDelivery;
}

/**
 * Review of all changes by agents: marks them in the files, and lets the user answer by change, by file or all together. Never blocks the
 * agent. Before each answer, re-reads files that others may have changed on disk or in documents.
 */
export class Review implements ReviewedTurns, vscode.Disposable {
  readonly book = new ReviewBook();
  readonly checkpoints = new Checkpoints();
  readonly answers: ReviewAnswers;
  readonly restored: RestoredFiles;
  readonly comments: CommentThreads;
  readonly allChanges: AllChangesMode;
  readonly edits: EditHereChanges;
  readonly baselines: BaselineDocuments;
  readonly changesEditor: ChangesEditor;
  readonly #texts: OpenDocuments;
  readonly #options: ReviewOptions;
  readonly #turns: ReviewTurns;
  readonly #kept: HandedOverReview;
  readonly #marks: ReviewMarks;
  readonly #watcher: DiskWatcher;
  /** Tabs whose lists of changed files must be reported. */
  readonly #listed = new Set<string>();
  readonly #gathered = new GatheredChanges(() => this.#tell());
  readonly #disposables: readonly { dispose(): unknown }[];
  #adopted: Promise<void> = Promise.resolve();

  constructor(options: ReviewOptions) {
    this.#options = options;
    const { snapshots } = options;
    this.#texts = new OpenDocuments({
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
   * Restores the last window's review after `tabs` are restored, including changes of turns that were still running when that window
   * closed. Call this first; until it resolves, nothing is stored, because the state would be incomplete.
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
    // Don't await: taking over a review may take until another window has closed.
    const adopting = this.#kept.adoptLeft().catch(this.#options.onProblem);
    this.#adopted = adopting.finally(() => this.allChanges.tookOver());
  }

  /** Resolves when the reviews of closing windows are also taken over. Call after {@link restore}. */
  get adopted(): Promise<void> {
    return this.#adopted;
  }

  /** Takes each folder's first snapshot in advance, because the first snapshot is the slowest. */
  prepare(roots: readonly string[]): void {
    for (const root of outermost(roots)) void this.#options.snapshots.take(root);
  }

  marksChanged(): void {
    this.#marks.refresh();
    this.#marks.setContext();
  }

  /** Starts a turn. Resolves when the folders' snapshots exist, or after a time limit. */
  promptStarted(tabId: string, messageId: string, roots: readonly string[]): Promise<void> {
    return this.#turns.begin(tabId, messageId, roots);
  }

  isRunning(tabId: string): boolean {
    return this.#turns.isRunning(tabId);
  }

  toolCall(tabId: string, call: WatchedToolCall): void {
    this.#turns.toolCall(tabId, call);
  }

  /** Records that an agent's command in a terminal of the editor started or ended. */
  commandRan(tabId: string, terminalId: string, isOver: boolean): void {
    this.#turns.commandRan(tabId, terminalId, isOver);
  }

  /** Records that the editor wrote a file on the agent's behalf. */
  written(tabId: string, path: string, before: FileText, after: FileText, wasUnsaved = false): void {
    this.#turns.changes.written(tabId, path, before, after, wasUnsaved);
  }

  /** Stops tracking when the window closes. The next window finds out how running turns ended. */
  detach(): void {
    this.#turns.detach();
    this.#kept.detach();
    this.allChanges.close();
  }

  /** Resolves when all changes of the turn are under review, or after a time limit. */
  async turnEnded(tabId: string): Promise<void> {
    await this.#turns.end(tabId);
    // Scan for changes that don't belong to the turn, because others made them.
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

  labelOf(tabId: string, path: string): string {
    const root = this.#options.worktreeOf?.(tabId);
    return (root === undefined ? undefined : labelBelow(root, path)) ?? vscode.workspace.asRelativePath(path);
  }

  async answer(action: "open" | "keep" | "undo", tabId: string | undefined, uri?: string): Promise<void> {
    if (action === "open") {
      const command = uri === undefined ? "symposium.review.openAll" : "symposium.review.openFile";
      const file = uri === undefined ? {} : { path: vscode.Uri.parse(uri).fsPath };
      await vscode.commands.executeCommand(command, { tabId, ...file });
      return;
    }
    const paths = uri === undefined ? this.book.files(tabId).map(({ path }) => path) : [vscode.Uri.parse(uri).fsPath];
    if (action === "undo") return this.#undoAll(paths.map((path) => ({ path })));
    // Wait once for all files, because each written file would start another scan.
    await this.#settled();
    for (const path of paths) await this.answers.keep(path);
    this.#gathered.tellNow();
  }

  async #undoAll(wanted: readonly { path: string; hunkId?: string | undefined }[], withOthers = false): Promise<void> {
    const refusals: Refusal[] = [];
    const paths: string[] = [];
    const undone = new UndoneFiles(this.answers);
    await this.#settled();
    for (const { path, hunkId } of wanted) {
      const outcome = await this.answers.undo(path, hunkId, withOthers);
      if (outcome.refusal) refusals.push(outcome.refusal);
      if (outcome.isUndone) paths.push(path);
      undone.add(path, [...(this.book.find(path)?.tabIds ?? [])].at(-1), outcome);
    }
    this.#gathered.tellNow();
    this.report(refusals, paths);
    void offerRedo(undone, withOthers ? 1 : 2, (left) => this.report(left, paths));
  }

  /** Keeps one change of a file or all changes. Returns false if the change no longer exists. */
  async keep(path: string, hunkId?: string): Promise<boolean> {
    await this.#settled();
    return this.answers.keep(path, hunkId);
  }

  /** Undoes one change of a file or all changes, and reports refusals. Returns false if the change no longer exists. */
  async undo(path: string, hunkId?: string): Promise<boolean> {
    await this.#settled();
    const { isUndone, refusal } = await this.answers.undo(path, hunkId);
    // The editor shows that a file with a change that the user undid there is unsaved.
    this.report(refusal ? [refusal] : [], isUndone && hunkId === undefined ? [path] : []);
    return isUndone || refusal !== undefined;
  }

  /** Records that a file will be created with this text and a byte order mark. */
  wasMarked(path: string, text: string): void {
    this.#texts.wasMarked(path, text);
  }

  /** Reports refused files, and which of the changed files are unsaved. Returns true if there is nothing to report. */
  report(refusals: readonly Refusal[], changed: readonly string[] = []): boolean {
    const undoBoth = (mixed: readonly Refusal[]): Promise<void> =>
      this.#undoAll(
        mixed.map(({ path, undo }) => ({ path, hunkId: undo?.hunkId })),
        true,
      );
    reportRefusals(this.baselines, refusals, undoBoth);
    return !reportUnsaved(changedOf(changed, refusals)) && refusals.length === 0;
  }

  async flush(): Promise<void> {
    this.#gathered.tellNow();
    // Store the known state first, because VS Code doesn't wait long when it closes.
    await Promise.all([this.#kept.flush(), this.#turns.openTurns.flush()]);
    await Promise.all([this.#turns.changes.settled(), this.answers.settled()]);
    await this.#kept.stored();
    await Promise.all([this.#turns.openTurns.flush(), this.allChanges.flush()]);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  /** Waits until the changes of all finished turns are in the book. */
  async #settled(): Promise<void> {
    await this.#turns.settledSoon();
    await this.allChanges.settled();
  }

  #learned(path: string, truth: FileTruth & { readonly text: FileText }): void {
    if (this.#turns.learned(path, truth)) return;
    const { text, writtenAtMs } = truth;
    // In the mode _Review all changes_, another program wrote the content on disk if no scan has found it yet.
    if (this.allChanges.isOn && writtenAtMs !== undefined)
      this.#turns.record(programWriter, path, this.book.current(path) ?? null, text);
    else this.book.userChanged(path, text);
  }

  async #learnAll(isKnown?: ReadonlySet<string>): Promise<void> {
    await this.#turns.changes.settled();
    // In the mode _Review all changes_, scans find all changed files and their authors.
    if (!this.allChanges.isOn) await this.answers.learnAll(isKnown);
  }

  async #diskChanged(path: string): Promise<void> {
    this.#turns.changes.fileChanged(path);
    // A deleted or reverted file may reappear with its changes: git stash, for example, removes changes only temporarily.
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
    // Edits that the user makes during a turn must not be attributed to a command. After the first edit, VS Code marks the document as
    // dirty in a separate event.
    if (document.isDirty) this.#turns.noteOthers(path);
    if (contentChanges.length === 0 || isOfEditor || !this.book.find(path)) return;
    // If a document changes without being marked as dirty, VS Code reloaded it from disk.
    if (document.isDirty) this.book.userChanged(path, document.getText());
    else void this.#diskChanged(path);
    // The book sends no event if it already has the text, for example after an answer.
    this.#marks.redraw(path);
  }

  #refresh(path: string): void {
    this.baselines.changed(path);
    this.#marks.refresh(path);
    for (const tabId of this.book.find(path)?.tabIds ?? []) this.#listed.add(tabId);
    // Hundreds of files can change at once, so gather the changes.
    this.#gathered.changed();
  }

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
    const text = l10n.t(
      "Couldn't read the changes under review: {0}. The file is kept. New changes are reviewed, but not stored until you reload the window.",
      messageOf(error),
    );
    void vscode.window.showWarningMessage(text);
  }

  #tellUnseen(count: number): void {
    if (count === 0) return;
    const text = l10n.t("Too many changed files to review: {0} more are not shown.", count);
    void vscode.window.showWarningMessage(text);
  }

  #save(): void {
    // Also watch answered files, since the editor's undo may bring their changes back.
    if (!this.#gathered.isTaking) this.#watcher.watch(this.book.paths());
    this.#kept.save();
  }
}
