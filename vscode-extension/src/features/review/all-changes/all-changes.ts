import { AllChangesStore, type AllChangesState } from "./all-changes-store.js";
import type { SeenAttributeChange } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";
import type { GitWork } from "../files/git-work.js";
import { inBatches } from "../files/in-batches.js";
import { OwnTexts } from "../files/own-texts.js";
import { type FoundChange, SnapshotTurn } from "../turns/snapshot-turn.js";
import type { FileTruth } from "../files/current-files.js";
import { editorWriter, programWriter } from "../turns/writers.js";

type TurnArguments = Parameters<typeof SnapshotTurn.begin>;

/** The review, as far as the mode asks it and tells it. */
interface ReviewOfAll {
  /** Does `work` while nothing else reads or answers the file. */
  alone(path: string, work: () => Promise<void>): Promise<void>;
  /** The text that the file has by all that was told of it; undefined where nothing was. */
  current(path: string): FileText | undefined;
  /** Whether a turn of an agent of ours goes on. */
  readonly hasTurn: boolean;
  /** Whether an agent of ours may have given the file this state, in a turn that will say so at its end. */
  mayBeOfTurn(truth: FileTruth): boolean;
  /** Resolves when no turn that has ended is still looking for what it changed. */
  settled(): Promise<void>;
  changed(writer: string, path: string, before: FileText, after: FileText): void;
  /** The same of what a file has besides its text. */
  attributesChanged(writer: string, path: string, text: FileText, change: SeenAttributeChange): void;
  /** Resolves when what it was told of is on disk, with true; with false where it could not be written. */
  stored(): Promise<boolean>;
  /** So many more files are different, which were too many to look at. */
  unseen(count: number): void;
}

interface AllChangesOptions {
  /** A file of our own in the workspace's storage. */
  readonly storeFile: string;
  /** The folders of the window. Absolute. */
  readonly roots: () => readonly string[];
  readonly snapshots: TurnArguments[1];
  readonly files: TurnArguments[2] & {
    truth(path: string): Promise<FileTruth>;
    /** Whether the editor has words for this file that are not on disk. */
    isUnsaved(path: string): boolean;
    /** The text of an open document as the user left it; undefined where nothing is open or others changed it. */
    typed(path: string): string | undefined;
  };
  readonly git: Pick<GitWork, "writers" | "isAtWork">;
  readonly review: ReviewOfAll;
  /** The mode was switched on or off. */
  readonly onSwitched: () => void;
  readonly onProblem: (error: unknown) => void;
}

/** A change of an open document that the user did not type. */
export interface EditorChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The disk is looked at when nothing has changed for so long. */
const quietMs = 250;
/** And no later than this after the first change, where a program never ceases to write. */
const maxUnrestMs = 2_000;
/** A look takes no larger part of the time than one in so many. */
const rest = 3;
/** git is not waited for longer than this: a lock may be left from one that was killed. */
const maxGitMs = 10_000;

/**
 * The mode _Review all changes_: finds what changes in the folders of the window, whoever wrote it, by snapshots; the
 * first, which is taken when the mode is switched on, is the baseline. What the user did in the editor and what agents
 * of ours did is known by other ways and left out.
 */
export class AllChanges implements Disposable {
  /** What the user saved, made, moved or removed in the editor. */
  readonly own = new OwnTexts(() => {
    // While the mode is off, the file may still be of a window before, which is yet to be read.
    if (this.#state) this.#save();
  });
  readonly #store: AllChangesStore;
  #mayTakeOver = true;
  /** Undefined while the mode is off. */
  #state: Omit<AllChangesState, "own"> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  /** Ends with the next look that begins. */
  #nextLook: { readonly ended: Promise<void>; readonly end: () => void } | undefined;
  #edits: EditorChange[] = [];
  #waitsForGitSinceMs: number | undefined;
  /** Something has changed since the latest look began. */
  #isStale = false;
  /** When the first change since then was noticed. */
  #unrestSinceMs: number | undefined;
  #isClosed = false;
  /** The review was told of something that may not be stored yet. */
  #hasTold = false;
  /** Looks are not begun before this. */
  #restsUntilMs = 0;

  constructor(private readonly options: AllChangesOptions) {
    this.#store = new AllChangesStore(options.storeFile, options.onProblem);
  }

  get isOn(): boolean {
    return this.#state !== undefined;
  }

  /** Whether what the user does is to be noted: also while it may turn out that the mode goes on from another window's look. */
  get notesOwn(): boolean {
    return this.isOn || this.#mayTakeOver;
  }

  /** When it was switched on. */
  get sinceMs(): number | undefined {
    return this.#state?.sinceMs;
  }

  /** From now on all changes count. False where none of the folders can be watched, or there is none. */
  async switchOn(): Promise<boolean> {
    const startedAtMs = Date.now();
    const { begun } = await this.#begin();
    if (begun.length === 0) return false;
    this.own.forgetBefore(startedAtMs);
    this.#state = { sinceMs: startedAtMs, lookedAtMs: startedAtMs, looked: [...begun] };
    this.#switched();
    return true;
  }

  /** What is under review stays so, with what was changed just now. */
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

  /** Goes on where the window before this one was closed: what changed since is found. */
  async restore(): Promise<void> {
    const stored = await this.#store.load();
    if (stored) this.#resume(stored);
  }

  /**
   * Takes over the mode of another window, which is gone, from its file: where it is off here, it goes on from that window's
   * latest look. What that one had found by then is to be under review here before.
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

  /** No window is left that this one would go on from. */
  tookOver(): void {
    this.#mayTakeOver = false;
    if (!this.isOn) this.own.clear();
  }

  /** Something changed on disk, or a turn is over. Resolves when it is under review. */
  noticed(): Promise<void> {
    if (!this.#state || this.#isClosed) return Promise.resolve();
    this.#isStale = true;
    this.#nextLook ??= newLook();
    const { ended } = this.#nextLook;
    this.#schedule();
    return ended;
  }

  /** VS Code or an extension changed a document. An agent's own words reach the disk by its documents, too, and are told later. */
  edited(change: EditorChange): void {
    if (!this.#state) return;
    this.#edits.push(change);
    void this.noticed();
  }

  /** The user goes on with a document that others changed before: these changes are told first. */
  editedBefore(path: string): void {
    for (const edit of this.#edits) if (edit.path === path) this.#takeInEdit(edit);
    this.#edits = this.#edits.filter((edit) => edit.path !== path);
  }

  /** Resolves when everything that was noticed by now is under review, but for what git is in the middle of. */
  async settled(): Promise<void> {
    await this.#looking;
    // One look, and no more: there are programs that never cease to write.
    if (!this.#isStale || !this.#state || this.#isClosed) return;
    clearTimeout(this.#timer);
    await this.#look();
  }

  /** The window closes: what changed since the latest look is found by the next one. */
  close(): void {
    if (this.#state && !this.options.review.hasTurn) for (const edit of this.#edits.splice(0)) this.#takeInEdit(edit);
    this[Symbol.dispose]();
  }

  /** Resolves when everything is on disk. */
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
    // Before what is different is listed: what changes meanwhile is found the next time.
    const next = await this.#begin();
    const state = this.#state;
    if (!state) return;
    if (review.hasTurn) this.#forgetKnownEdits();
    else for (const edit of this.#edits.splice(0)) this.#takeInEdit(edit);
    const { found, unseen } = await SnapshotTurn.resumed(state.looked, snapshots, files).end(() => false);
    // Snapshots end with the window: the next one looks again.
    if (this.#isClosed) return;
    const isAll = await this.#takeIn(found, state.lookedAtMs);
    if (!isAll) return;
    // From here on, a window that comes after this one would not find it again.
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
    // An agent's, or an answer of the user's: that is known already.
    if (this.options.review.current(path) !== after) this.#changed(editorWriter, path, before, after);
  }

  /** An agent that writes by documents makes many in a turn; once it has told of them, nothing is left to be told. */
  #forgetKnownEdits(): void {
    const latest = new Map(this.#edits.map(({ path, after }) => [path, after]));
    this.#edits = this.#edits.filter(({ path }) => latest.get(path) !== this.options.review.current(path));
  }

  #changed(writer: string, path: string, before: FileText, after: FileText): void {
    this.#hasTold = true;
    this.options.review.changed(writer, path, before, after);
  }

  /** git writes files first and says what it did later. */
  async #isGitAtWork(nowMs: number): Promise<boolean> {
    const isAtWork = await this.options.git.isAtWork(this.options.roots());
    if (!isAtWork) this.#waitsForGitSinceMs = undefined;
    else this.#waitsForGitSinceMs ??= nowMs;
    return isAtWork && nowMs - (this.#waitsForGitSinceMs ?? nowMs) < maxGitMs;
  }

  /** False where something has to be looked at again, as it may be the work of a turn that goes on. */
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
    // The user may save a file with another encoding.
    if (!attributes || this.own.textOf(path) !== undefined) return true;
    if (review.mayBeOfTurn({ text: after, isTorn: false, writtenAtMs: attributes.changedAtMs })) return false;
    this.#hasTold = true;
    review.attributesChanged(writer, path, review.current(path) ?? after, attributes);
    return true;
  }

  async #takeInOne(path: string, before: FileText, writer: string): Promise<boolean> {
    const { files, review } = this.options;
    // Unsaved words come to disk, or go, with an event of their own.
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
