import { KeyedQueue } from "../documents/documents.js";
import type { CheckpointStep } from "./restore/checkpoints.js";
import { attributesId } from "./hunks/file-attributes.js";
import { FileReview, type FileText } from "./hunks/file-review.js";
import { parseOpaque } from "./hunks/opaque-text.js";
import { inBatches } from "./files/in-batches.js";
import type { ReviewBook } from "./review-book.js";
import type { FileTruth, TrueFiles } from "./files/current-files.js";

/**
 * Why a file, or a part of it, was left as it is: the agent's lines and those of others cannot be told apart; it has
 * unsaved words and changed on disk besides; it is no text any more; it changed while we were about to write it;
 * what it was before is not kept.
 */
export type RefusalReason = "mixed" | "torn" | "unreadable" | "changing" | "not kept";

export interface Refusal {
  readonly path: string;
  readonly reason: RefusalReason;
  /** What the file can be compared with: what it was before the agent or, of one that the agent made, its text. */
  readonly beside: { readonly text: string; readonly isAgents: boolean };
  /** The undo that was refused, if it can be carried out with others' words. */
  readonly undo?: { readonly hunkId: string | undefined };
}

export interface UndoOutcome {
  readonly isUndone: boolean;
  /** Undefined where nothing was refused: then what is not undone is not there any more. */
  readonly refusal?: Refusal | undefined;
  /** The file's text before and after. Undefined if the text was not changed. */
  readonly step?: CheckpointStep;
}

/** What going back to a prompt does to one file. */
export interface PlannedRestore {
  readonly path: string;
  readonly now: FileText;
  readonly text: FileText;
  /** It is not the text before the prompt: what others changed since stays in it. */
  readonly hasOthers: boolean;
}

interface RestorePlan {
  readonly files: readonly PlannedRestore[];
  readonly refusals: readonly Refusal[];
}

/** A file that changes under our hands is looked at again this often. */
const maxAttempts = 3;

/**
 * What the user answers to changes under review. Each answer begins with the truth of its file, writes only over what
 * it has read, and leaves alone what is not the agent's.
 */
export class ReviewAnswers {
  /** Of one file, one answer after the other. */
  readonly #byPath = new KeyedQueue();

  /** `learned` hears of a text that nobody has told us of, and tells the book whose it is. */
  constructor(
    private readonly book: ReviewBook,
    private readonly files: TrueFiles,
    private readonly learned: (path: string, truth: FileTruth & { readonly text: FileText }) => void,
  ) {}

  /** Does `work` while no answer is given to a file, and nothing of it learned. */
  alone(path: string, work: () => Promise<void>): Promise<void> {
    return this.#byPath.run(path, work);
  }

  /** Resolves when no answer is being carried out. */
  settled(): Promise<void> {
    return this.#byPath.idle();
  }

  /** Brings the book to what is true of a file that it knows. */
  learn(path: string): Promise<FileTruth> {
    return this.#byPath.run(path, () => this.#learn(path));
  }

  /** The same for all files that wait for an answer, but these. */
  async learnAll(isKnown: ReadonlySet<string> = new Set()): Promise<void> {
    const files = this.book.files().filter(({ path }) => !isKnown.has(path));
    await inBatches(files, ({ path }) => this.learn(path));
  }

  /** Keeps one change of a file, or all. False where there is no such change any more. */
  keep(path: string, hunkId?: string): Promise<boolean> {
    return this.#byPath.run(path, async () => {
      await this.#learn(path);
      return this.book.keep(path, hunkId);
    });
  }

  /** Undoes one change of a file, or all that are the agent's alone; `withOthers` also those that hold others' words. */
  undo(path: string, hunkId?: string, withOthers = false): Promise<UndoOutcome> {
    return this.#byPath.run(path, async () => {
      if (hunkId === attributesId) return this.#undoAttributes(path);
      const text = await this.#undoText(path, hunkId, withOthers);
      if (hunkId !== undefined) return text;
      const attributes = await this.#undoAttributes(path);
      return { ...text, isUndone: text.isUndone || attributes.isUndone, refusal: text.refusal ?? attributes.refusal };
    });
  }

  async #undoAttributes(path: string): Promise<UndoOutcome> {
    await this.#learn(path);
    const { attributes, review } = this.book.find(path) ?? {};
    if (!attributes || !review || attributes.isReviewed) return { isUndone: false };
    if (review.current === null || parseOpaque(review.current)?.kind === "link") {
      // The file comes back with what it had before.
      this.book.attributesUndone(path, undefined);
      return { isUndone: true };
    }
    if (await this.files.setAttributes(path, attributes.baseline, attributes.current)) {
      const { changedAtMs } = await this.files.truth(path);
      this.book.attributesUndone(path, changedAtMs);
      return { isUndone: true };
    }
    return { isUndone: false, refusal: { path, reason: "changing", beside: textBeside(review) } };
  }

  async #undoText(path: string, hunkId: string | undefined, withOthers: boolean): Promise<UndoOutcome> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const truth = await this.#learn(path);
      const { review, attributes } = this.book.find(path) ?? {};
      const beside = review && textBeside(review);
      const undo = this.book.undo(path, hunkId, withOthers);
      if (!undo || !beside || undo.undone + undo.refused === 0) return { isUndone: false };
      const reason = unknowable(truth) ?? (undo.refused > 0 ? "mixed" : undefined);
      const refusal = reason && { path, reason, beside, ...(reason === "mixed" && { undo: { hunkId } }) };
      if (undo.undone === 0) return { isUndone: false, refusal };
      if (truth.text === undefined || truth.isTorn) {
        undo.takeBack();
        return { isUndone: false, refusal };
      }
      if (!(await this.files.canWrite(undo.text))) {
        undo.takeBack();
        return { isUndone: false, refusal: { path, reason: "not kept", beside } };
      }
      if (await this.files.write(path, undo.text, truth.text, attributes?.current))
        return { isUndone: true, refusal, step: { before: truth.text, after: undo.text } };
      undo.takeBack();
    }
    await this.#learn(path);
    const review = this.book.find(path)?.review;
    return review
      ? { isUndone: false, refusal: { path, reason: "changing", beside: textBeside(review) } }
      : { isUndone: false };
  }

  /** What going back behind an agent's steps would do, file by file; what others changed since stays. */
  async planRestore(files: ReadonlyMap<string, readonly CheckpointStep[]>): Promise<RestorePlan> {
    const planned: PlannedRestore[] = [];
    const refusals: Refusal[] = [];
    for (const [path, steps] of files) {
      const truth = await this.learn(path);
      if (truth.text === undefined || truth.isTorn) {
        const beside = textBeside(replayed(steps));
        refusals.push({ path, reason: unknowable(truth) ?? "unreadable", beside });
        continue;
      }
      const review = replayed(steps);
      review.userChanged(truth.text);
      const beside = textBeside(review);
      const { text, undone, refused } = review.undo();
      if (undone > 0 && !(await this.files.canWrite(text))) refusals.push({ path, reason: "not kept", beside });
      else if (undone > 0) {
        const hasOthers = text !== (steps[0]?.before ?? null);
        planned.push({ path, now: truth.text, text, hasOthers });
      }
      if (refused > 0) refusals.push({ path, reason: "mixed", beside });
    }
    return { files: planned, refusals };
  }

  /**
   * Writes what was planned, as a change that can be undone like an agent's. What changed since the plan is left; words
   * that are not saved stay so, with the change around them.
   */
  async restore(tabId: string, files: readonly PlannedRestore[]): Promise<Refusal[]> {
    const refusals: Refusal[] = [];
    for (const { path, now, text } of files) {
      const isWritten = await this.#byPath.run(path, async () => {
        const truth = await this.#learn(path);
        if (truth.isTorn || truth.text !== now) return false;
        // Told before it is written: the editor's own report of the change then says nothing new.
        this.book.agentChanged(tabId, path, now, text);
        if (await this.files.write(path, text, now)) return true;
        this.book.userChanged(path, now);
        await this.#learn(path);
        return false;
      });
      if (!isWritten) refusals.push({ path, reason: "changing", beside: { text: text ?? "", isAgents: false } });
    }
    return refusals;
  }

  /** Takes steps back file by file, around what others changed since, as a change that can be undone like an agent's. */
  async takeBack(tabId: string, steps: ReadonlyMap<string, readonly CheckpointStep[]>): Promise<Refusal[]> {
    const { files, refusals } = await this.planRestore(steps);
    return [...refusals, ...(await this.restore(tabId, files))];
  }

  async #learn(path: string): Promise<FileTruth> {
    const truth = await this.files.truth(path);
    const { text, attributes, changedAtMs } = truth;
    if (attributes) this.book.attributesLearned(path, attributes, changedAtMs);
    const known = this.book.current(path);
    // Of a file that the book does not know there is no text that this one could differ from.
    const isNew = known !== undefined && text !== undefined && !truth.isTorn && known !== text;
    if (isNew) this.learned(path, { ...truth, text });
    return truth;
  }
}

function unknowable({ text, isTorn }: FileTruth): RefusalReason | undefined {
  if (text === undefined) return "unreadable";
  return isTorn ? "torn" : undefined;
}

/** A review of one file as if nothing had been answered since the first step. */
function replayed(steps: readonly CheckpointStep[]): FileReview {
  const review = new FileReview(steps[0]?.before ?? null);
  for (const { before, after } of steps) {
    review.userChanged(before);
    review.agentChanged(after);
  }
  return review;
}

function textBeside({ baseline, written }: FileReview): Refusal["beside"] {
  return { text: baseline ?? written ?? "", isAgents: baseline === null };
}
