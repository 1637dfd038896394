import { AllChangesStore, type AllChangesState } from "./mode-state-file.js";
import type { SeenAttributeChange } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";
import type { GitWork } from "../files/changes-by-git.js";
import { inBatches } from "../files/in-batches.js";
import { OwnTexts } from "../files/user-changes.js";
import { type FoundChange, SnapshotTurn } from "../turns/snapshot-turn.js";
import type { FileTruth } from "../files/compare-and-write-contract.js";
import { editorWriter, programWriter } from "../turns/writer-id.js";

type TurnArguments = Parameters<typeof SnapshotTurn.begin>;

interface ReviewOfAll {
  /** Runs `work` while no other code reads the file or answers changes in it. */
  alone(path: string, work: () => Promise<void>): Promise<void>;
  current(path: string): FileText | undefined;
  readonly hasTurn: boolean;
  /** Returns whether an agent may have written this content during a turn that will report the change when it ends. */
  mayBeOfTurn(truth: FileTruth): boolean;
  /** Resolves when no finished turn is still collecting its changes. */
  settled(): Promise<void>;
  changed(writer: string, path: string, before: FileText, after: FileText): void;
  attributesChanged(writer: string, path: string, text: FileText, change: SeenAttributeChange): void;
  /** Resolves with true once all reported changes are on disk, with false if writing failed. */
  stored(): Promise<boolean>;
  unseen(count: number): void;
}

interface AllChangesOptions {
  readonly storeFile: string;
  readonly roots: () => readonly string[];
  readonly snapshots: TurnArguments[1];
  readonly files: TurnArguments[2] & {
    truth(path: string): Promise<FileTruth>;
    isUnsaved(path: string): boolean;
    /** Returns an open document's text as the user left it; undefined if the document isn't open or others changed it. */
    typed(path: string): string | undefined;
  };
  readonly git: Pick<GitWork, "writers" | "isAtWork">;
  readonly review: ReviewOfAll;
  readonly onSwitched: () => void;
  readonly onProblem: (error: unknown) => void;
}

export interface EditorChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Time without changes, in milliseconds, before the disk is scanned. */
const quietMs = 250;
/** Maximum delay after the first change, for programs that write without pause. */
const maxUnrestMs = 2_000;
/** Minimum pause after a scan, as a multiple of its duration. */
const rest = 3;
/** Maximum wait for git, since a killed git may have left a lock. */
const maxGitMs = 10_000;

/**
 * The mode _Review all changes_: finds changes in the window's folders by comparing snapshots, with the first snapshot as the baseline.
 * Leaves out the user's own edits, and agents' changes, which the agents' turns report.
 */
export class AllChanges implements Disposable {
  readonly own = new OwnTexts(() => {
    // While the mode is off, the file may have an earlier window's state that hasn't been read yet.
    if (this.#state) this.#save();
  });
  readonly #store: AllChangesStore;
  #mayTakeOver = true;
  /** State of the mode; undefined while the mode is off. */
  #state: Omit<AllChangesState, "own"> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #nextLook: { readonly ended: Promise<void>; readonly end: () => void } | undefined;
  #edits: EditorChange[] = [];
  #waitsForGitSinceMs: number | undefined;
  /** True if something changed since the latest scan started. */
  #isStale = false;
  /** Time of the first change since the latest scan started. */
  #unrestSinceMs: number | undefined;
  #isClosed = false;
  /** True if changes were reported to the review that may not be stored yet. */
  #hasTold = false;
  #restsUntilMs = 0;

  constructor(private readonly options: AllChangesOptions) {
    this.#store = new AllChangesStore(options.storeFile, options.onProblem);
  }

  get isOn(): boolean {
    return this.#state !== undefined;
  }

  /**
   * True if the user's edits must be recorded: while the mode is on, and while this window may still take over the mode from another
   * window.
   */
  get notesOwn(): boolean {
    return this.isOn || this.#mayTakeOver;
  }

  get sinceMs(): number | undefined {
    return this.#state?.sinceMs;
  }

  /** Starts the mode. Returns false if no folder of the window can be watched. */
  async switchOn(): Promise<boolean> {
    const startedAtMs = Date.now();
    const { begun } = await this.#begin();
    if (begun.length === 0) return false;
    this.own.forgetBefore(startedAtMs);
    this.#state = { sinceMs: startedAtMs, lookedAtMs: startedAtMs, looked: [...begun] };
    this.#switched();
    return true;
  }

  /** Ends the mode after a last scan. Changes that are under review stay under review. */
  async switchOff(): Promise<void> {
    await this.settled();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#state = undefined;
    this.#edits = [];
    this.#nextLook?.end();
    this.#nextLook = undefined;
    this.own.clear();
    this.#switched();
  }

  /** Continues the mode of the previous window and finds changes made since then. */
  async restore(): Promise<void> {
    const stored = await this.#store.load();
    if (stored) this.#resume(stored);
  }

  /**
   * Takes over the mode from the stored file of a window that is gone. If the mode is off in this window, continues from the other window's
   * last scan; changes which that window found must already be under review here.
   */
  async adopt(storeFile: string): Promise<void> {
    const other = new AllChangesStore(storeFile, this.options.onProblem);
    const stored = await other.load();
    if (!stored || this.#isClosed) return;
    this.#resume(stored);
    this.#save();
    await this.#store.flush();
    if (this.#store.isBehind) return;
    other.save(() => undefined);
    await other.flush();
  }

  tookOver(): void {
    this.#mayTakeOver = false;
    if (!this.isOn) this.own.clear();
  }

  /** Schedules a scan after a change on disk or the end of a turn. Resolves when the changes are under review. */
  noticed(): Promise<void> {
    if (!this.#state || this.#isClosed) return Promise.resolve();
    this.#isStale = true;
    this.#nextLook ??= newLook();
    const { ended } = this.#nextLook;
    this.#schedule();
    return ended;
  }

  /** Records a document change by VS Code or an extension. Agents that write through documents report the same change later. */
  edited(change: EditorChange): void {
    if (!this.#state) return;
    this.#edits.push(change);
    void this.noticed();
  }

  /** Before the user edits a document, reports the pending changes that others made to it. */
  editedBefore(path: string): void {
    for (const edit of this.#edits) if (edit.path === path) this.#takeInEdit(edit);
    this.#edits = this.#edits.filter((edit) => edit.path !== path);
  }

  /** Resolves when all noticed changes are under review, except those of a running git command. */
  async settled(): Promise<void> {
    await this.#looking;
    if (!this.#isStale || !this.#state || this.#isClosed) return;
    clearTimeout(this.#timer);
    await this.#look();
  }

  /** Stops scanning when the window closes. The next window finds later changes. */
  close(): void {
    if (this.#state && !this.options.review.hasTurn) for (const edit of this.#edits.splice(0)) this.#takeInEdit(edit);
    this[Symbol.dispose]();
  }

  flush(): Promise<void> {
    return this.#store.flush();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#nextLook?.end();
  }

  #resume({ own, ...state }: AllChangesState): void {
    if (this.#state) return;
    this.own.load(own);
    this.#state = state;
    this.options.onSwitched();
    void this.noticed();
  }

  #schedule(): void {
    if (this.#isClosed || this.#looking) return;
    clearTimeout(this.#timer);
    const nowMs = Date.now();
    this.#unrestSinceMs ??= nowMs;
    const waitMs = Math.max(Math.min(quietMs, this.#unrestSinceMs + maxUnrestMs - nowMs), this.#restsUntilMs - nowMs);
    this.#timer = setTimeout(() => void this.#look(), waitMs).unref();
  }

  #switched(): void {
    this.#save();
    this.options.onSwitched();
  }

  #save(): void {
    if (!this.#state) return this.#store.save(() => undefined);
    this.#store.save(() => this.#state && { ...this.#state, own: this.own.store() });
  }

  #begin(): Promise<SnapshotTurn> {
    return SnapshotTurn.begin(this.options.roots(), this.options.snapshots, this.options.files);
  }

  #look(): Promise<void> {
    this.#timer = undefined;
    this.#looking ??= this.#lookOnce()
      .catch(this.options.onProblem)
      .finally(() => {
        this.#looking = undefined;
        if (this.#isStale) this.#schedule();
      });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const startedAtMs = Date.now();
    await this.options.review.settled();
    if (await this.#isGitAtWork(startedAtMs)) return;
    const thisLook = this.#nextLook;
    this.#nextLook = undefined;
    this.#isStale = false;
    this.#unrestSinceMs = undefined;
    try {
      await this.#findChanges();
    } finally {
      this.#restsUntilMs = Date.now() + (Date.now() - startedAtMs) * rest;
      thisLook?.end();
    }
  }

  async #findChanges(): Promise<void> {
    const { files, snapshots, review } = this.options;
    const takenAtMs = Date.now();
    // Take the new snapshot before listing differences, so that the next scan finds changes made meanwhile.
    const next = await this.#begin();
    const state = this.#state;
    if (!state) return;
    if (review.hasTurn) this.#forgetKnownEdits();
    else for (const edit of this.#edits.splice(0)) this.#takeInEdit(edit);
    const { found, unseen } = await SnapshotTurn.resumed(state.looked, snapshots, files).end(() => false);
    // A closed window drops its snapshots, so the next window scans again.
    if (this.#isClosed) return;
    const isAll = await this.#takeIn(found, state.lookedAtMs);
    if (!isAll) return;
    // Store the reported changes before the scan ends, because a later window wouldn't find them again.
    if (this.#hasTold) {
      this.#hasTold = false;
      if (!(await review.stored())) {
        this.#hasTold = true;
        return;
      }
    }
    if (this.#state !== state) return;
    if (unseen > 0) review.unseen(unseen);
    this.own.forgetBefore(takenAtMs);
    const left = state.looked.filter(({ root }) => !next.begun.some((one) => one.root === root));
    const kept = left.filter(({ root }) => this.options.roots().includes(root));
    this.#state = { ...state, lookedAtMs: takenAtMs, looked: [...next.begun, ...kept] };
    this.#save();
  }

  #takeInEdit({ path, before, after }: EditorChange): void {
    // The review already knows changes by agents and user answers.
    if (this.options.review.current(path) !== after) this.#changed(editorWriter, path, before, after);
  }

  /**
   * Drops document changes that the review already knows. An agent that writes through documents causes many such changes in a turn and
   * reports them itself.
   */
  #forgetKnownEdits(): void {
    const latest = new Map(this.#edits.map(({ path, after }) => [path, after]));
    this.#edits = this.#edits.filter(({ path }) => latest.get(path) !== this.options.review.current(path));
  }

  #changed(writer: string, path: string, before: FileText, after: FileText): void {
    this.#hasTold = true;
    this.options.review.changed(writer, path, before, after);
  }

  /**
   * Returns whether to wait for a running git operation, for at most `maxGitMs`. git writes files first and records the operation later.
   */
  async #isGitAtWork(nowMs: number): Promise<boolean> {
    const isAtWork = await this.options.git.isAtWork(this.options.roots());
    if (!isAtWork) this.#waitsForGitSinceMs = undefined;
    else this.#waitsForGitSinceMs ??= nowMs;
    return isAtWork && nowMs - (this.#waitsForGitSinceMs ?? nowMs) < maxGitMs;
  }

  /** Reports found changes to the review. Returns false if a running turn may have caused some of them; these must be scanned again. */
  async #takeIn(found: readonly FoundChange[], sinceMs: number): Promise<boolean> {
    const { git, review } = this.options;
    const fresh = found.filter(
      ({ path, before, after, attributes }) => attributes || after !== (review.current(path) ?? before),
    );
    const writers = await git.writers(
      fresh.map(({ path }) => path),
      sinceMs,
    );
    let isAll = true;
    const takeIn = (change: FoundChange): Promise<void> =>
      review.alone(change.path, async () => {
        const writer = writers.get(change.path) ?? programWriter;
        isAll = (await this.#takeInOne(change.path, change.before, writer)) && isAll;
        isAll = this.#takeInAttributes(change, writer) && isAll;
      });
    await inBatches(found, takeIn);
    return isAll;
  }

  #takeInAttributes({ path, after, attributes }: FoundChange, writer: string): boolean {
    const { review } = this.options;
    // Skip a file that the user saved, because saving may also change its attributes, for example with another encoding.
    if (!attributes || this.own.textOf(path) !== undefined) return true;
    if (review.mayBeOfTurn({ text: after, isTorn: false, writtenAtMs: attributes.changedAtMs })) return false;
    this.#hasTold = true;
    review.attributesChanged(writer, path, review.current(path) ?? after, attributes);
    return true;
  }

  async #takeInOne(path: string, before: FileText, writer: string): Promise<boolean> {
    const { files, review } = this.options;
    // Skip unsaved text: when the text is saved or discarded, VS Code sends an event.
    if (files.isUnsaved(path)) return false;
    const truth = await files.truth(path);
    const { text } = truth;
    if (text === undefined) return true;
    const own = this.own.textOf(path);
    const known = review.current(path) ?? (own === undefined ? before : own);
    if (text === known) return true;
    const isOwnPlace = (text === null || before === null) && this.own.hasPlace(path);
    if (text === own || text === files.typed(path) || isOwnPlace) {
      this.own.saved(path, text);
      return true;
    }
    if (review.mayBeOfTurn(truth)) return false;
    this.#changed(writer, path, known, text);
    return true;
  }
}

function newLook(): { readonly ended: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { ended, end };
}
