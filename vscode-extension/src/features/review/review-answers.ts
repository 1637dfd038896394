import { KeyedQueue } from "../documents/documents.js";
import type { CheckpointStep } from "./restore/checkpoints.js";
import { attributesId } from "./hunks/file-attributes.js";
import { FileReview, type FileText } from "./hunks/file-review.js";
import { parseOpaque } from "./hunks/opaque-text.js";
import { inBatches } from "./files/in-batches.js";
import type { ReviewBook } from "./review-book.js";
import type { FileTruth, TrueFiles } from "./files/compare-and-write-contract.js";

/**
 * Reason for a refusal. `mixed`: the agent's lines overlap others' lines. `torn`: the unsaved text differs from the disk. `unreadable`:
 * the file can't be read as text. `changing`: the file changed during the write. `not kept`: its earlier content isn't stored.
 */
export type RefusalReason = "mixed" | "torn" | "unreadable" | "changing" | "not kept";

export interface Refusal {
  readonly path: string;
  readonly reason: RefusalReason;
  /** Text to compare the file with: the file's text before the agent's changes, or the agent's text if the agent created the file. */
  readonly beside: { readonly text: string; readonly isAgents: boolean };
  /** Undo that was refused; set if the undo can be repeated with others' changes included. */
  readonly undo?: { readonly hunkId: string | undefined };
  /** True if only some of the file's changes are refused, and the others carried out. */
  readonly isPartial?: boolean;
}

/** Returns the files that were changed, at least in part. */
export function changedOf(paths: readonly string[], refusals: readonly Refusal[]): readonly string[] {
  return paths.filter((path) => !refusals.some((one) => one.path === path && one.isPartial !== true));
}

export interface UndoOutcome {
  readonly isUndone: boolean;
  /** Reason for the refusal; undefined if nothing was refused. A change that wasn't undone then no longer exists. */
  readonly refusal?: Refusal | undefined;
  /** Text before and after the undo; undefined if the text is unchanged. */
  readonly step?: CheckpointStep;
}

export interface PlannedRestore {
  readonly path: string;
  readonly now: FileText;
  readonly text: FileText;
  /** True if `text` includes changes that others made later, and therefore differs from the text before the prompt. */
  readonly hasOthers: boolean;
}

interface RestorePlan {
  readonly files: readonly PlannedRestore[];
  readonly refusals: readonly Refusal[];
}

/** Maximum number of attempts for a file that changes during the undo. */
const maxAttempts = 3;

/**
 * Carries out the user's answers. Reads the file before each answer, writes only if the content is still the same, and preserves changes
 * that aren't the agent's.
 */
export class ReviewAnswers {
  readonly #byPath = new KeyedQueue();

  /** `learned` receives file contents that nobody reported, and records their author in the book. */
  constructor(
    private readonly book: ReviewBook,
    private readonly files: TrueFiles,
    private readonly learned: (path: string, truth: FileTruth & { readonly text: FileText }) => void,
  ) {}

  /** Runs `work` while no answer or update for the file is in progress. */
  alone(path: string, work: () => Promise<void>): Promise<void> {
    return this.#byPath.run(path, work);
  }

  settled(): Promise<void> {
    return this.#byPath.idle();
  }

  learn(path: string): Promise<FileTruth> {
    return this.#byPath.run(path, () => this.#learn(path));
  }

  /** Updates all files that wait for an answer, except the files in `isKnown`. */
  async learnAll(isKnown: ReadonlySet<string> = new Set()): Promise<void> {
    const files = this.book.files().filter(({ path }) => !isKnown.has(path));
    await inBatches(files, ({ path }) => this.learn(path));
  }

  /** Keeps one change of a file or all changes. Returns false if the change no longer exists. */
  keep(path: string, hunkId?: string): Promise<boolean> {
    return this.#byPath.run(path, async () => {
      await this.#learn(path);
      return this.book.keep(path, hunkId);
    });
  }

  /**
   * Undoes one change of a file, or all changes that contain only the agent's lines. With `withOthers`, includes changes mixed with others'
   * lines.
   */
  undo(path: string, hunkId?: string, withOthers = false): Promise<UndoOutcome> {
    return this.#byPath.run(path, async () => {
      if (hunkId === attributesId) return this.#undoAttributes(path);
      const text = await this.#undoText(path, hunkId, withOthers);
      if (hunkId !== undefined) return text;
      const attributes = await this.#undoAttributes(path);
      const isUndone = text.isUndone || attributes.isUndone;
      const refusal = text.refusal ?? attributes.refusal;
      return { ...text, isUndone, refusal: refusal && isUndone ? { ...refusal, isPartial: true } : refusal };
    });
  }

  async #undoAttributes(path: string): Promise<UndoOutcome> {
    await this.#learn(path);
    const { attributes, review } = this.book.find(path) ?? {};
    if (!attributes || !review || attributes.isReviewed) return { isUndone: false };
    if (review.current === null || parseOpaque(review.current)?.kind === "link") {
      // The file doesn't exist or is a link. When it is created again, it gets its earlier attributes.
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

  /** Plans to undo an agent's steps file by file. Later changes by others are preserved. */
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
      if (refused > 0) refusals.push({ path, reason: "mixed", beside, ...(undone > 0 && { isPartial: true }) });
    }
    return { files: planned, refusals };
  }

  /**
   * Writes the planned texts as a change under review, like an agent's. Skips files that changed since the plan; documents with unsaved
   * changes stay unsaved.
   */
  async restore(tabId: string, files: readonly PlannedRestore[]): Promise<Refusal[]> {
    const refusals: Refusal[] = [];
    for (const { path, now, text } of files) {
      const isWritten = await this.#byPath.run(path, async () => {
        const truth = await this.#learn(path);
        if (truth.isTorn || truth.text !== now) return false;
        // Report first, so that the editor's change event isn't taken for a new change.
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

  /** Undoes steps file by file and preserves others' later changes. The result is under review like an agent's change. */
  async takeBack(tabId: string, steps: ReadonlyMap<string, readonly CheckpointStep[]>): Promise<Refusal[]> {
    const { files, refusals } = await this.planRestore(steps);
    return [...refusals, ...(await this.restore(tabId, files))];
  }

  async #learn(path: string): Promise<FileTruth> {
    const truth = await this.files.truth(path);
    const { text, attributes, changedAtMs } = truth;
    if (attributes) this.book.attributesLearned(path, attributes, changedAtMs);
    const known = this.book.current(path);
    // If no text of the file is known, there is nothing to compare the new text with.
    const isNew = known !== undefined && text !== undefined && !truth.isTorn && known !== text;
    if (isNew) this.learned(path, { ...truth, text });
    return truth;
  }
}

function unknowable({ text, isTorn }: FileTruth): RefusalReason | undefined {
  if (text === undefined) return "unreadable";
  return isTorn ? "torn" : undefined;
}

/** Rebuilds a file's review as if the user hadn't answered any change since the first step. */
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
