import { Checkpoints } from "../restore/checkpoints.js";
import type { CommentThreads } from "../comments/comment-threads.js";
import type { GatheredChanges } from "../turns/gathered-changes.js";
import { OpenTurnsFile } from "../turns/open-turns-file.js";
import type { RestoredFiles } from "../restore/restored-files.js";
import type { ReviewPlace } from "./review-place.js";
import { findLeft, type RestartedReview, takeIn } from "./review-restart.js";
import { openTurnsFile } from "./review-start.js";
import { ReviewStore } from "./review-store.js";
import type { ReviewTurns } from "../turns/review-turns.js";
import type { ReviewState } from "./stored-review.js";

export interface KeptReviewOptions extends Pick<RestartedReview, "book" | "texts" | "snapshots"> {
  readonly place: Pick<ReviewPlace, "file" | "isLocked" | "eachLeft">;
  readonly checkpoints: Checkpoints;
  readonly restored: RestoredFiles;
  readonly comments: Pick<CommentThreads, "load" | "refresh" | "store">;
  readonly turns: Pick<ReviewTurns, "isClosing" | "left" | "record"> & {
    readonly openTurns: Pick<OpenTurnsFile, "taken" | "passOn">;
  };
  readonly gathered: GatheredChanges;
  /** Takes over what stands beside the review's file of a window that is gone. Nobody else works with it meanwhile. */
  readonly adoptBeside: (file: string) => Promise<void>;
  readonly onUnseen: (count: number) => void;
  readonly onProblem: (error: unknown) => void;
}

/** What of a review outlives its window: stored while the window lives, taken up by the next one, or by that of another place. */
export class HandedOverReview {
  readonly #store: ReviewStore;
  /** What is stored has not been taken up: the window closed before, or could not read it. The next one takes it up as it is. */
  #isPassedOn = false;
  readonly #end = new AbortController();

  constructor(private readonly options: KeptReviewOptions) {
    this.#store = new ReviewStore(options.place.file, options.onProblem);
  }

  /**
   * Takes up what was under review when the window was last open, and what a turn changed that it did not see the end of,
   * as soon as `tabs` are back. False where the window closes first. Rejects where it cannot be read or taken up: then it
   * stays on disk as it is, and nothing of this window is stored.
   */
  async restore(tabs: Promise<unknown>): Promise<boolean> {
    const { checkpoints, gathered, place, restored, turns } = this.options;
    const left = await gathered.take(async () => {
      await Promise.allSettled([tabs]);
      try {
        const [stored, found] = [await this.#store.load(), await turns.left(place.isLocked)];
        const review = this.#taking({ checkpoints, restored });
        this.#isPassedOn = !(await this.#takeIn(stored, await findLeft(stored, found, review), review));
        return found;
      } catch (error) {
        this.#isPassedOn = true;
        throw error;
      } finally {
        if (this.#isPassedOn) turns.openTurns.passOn();
      }
    });
    if (this.#isPassedOn) return false;
    if (left && (await this.stored())) turns.openTurns.taken();
    return true;
  }

  /** Takes over what windows of the same workspace left that are gone, or go in the next seconds. */
  async adoptLeft(): Promise<void> {
    await this.options.place.eachLeft(async (file, hasOurTabs) => {
      await this.#adopt(file, hasOurTabs);
      await this.options.adoptBeside(file);
    }, this.#end.signal);
  }

  /** Stores, soon, what there is then. */
  save(): void {
    const { book, checkpoints, comments, gathered, restored } = this.options;
    if (gathered.isTaking || this.#isPassedOn) return;
    this.#store.save(() => ({
      reviews: book.store(),
      checkpoints: checkpoints.storeAll(),
      restores: restored.store(),
      comments: comments.store(),
    }));
  }

  /** Resolves when what is in the book is on disk, with true; with false where it could not be written, as to a full disk. */
  async stored(): Promise<boolean> {
    await this.options.gathered.whenTold();
    await this.#store.flush();
    return !this.#store.isBehind;
  }

  /** Resolves when all that was told of is on disk. */
  flush(): Promise<void> {
    return this.#store.flush();
  }

  /** The window closes: it takes over nothing more. */
  detach(): void {
    this.#end.abort();
  }

  #taking(into: Pick<RestartedReview, "checkpoints" | "restored">): RestartedReview {
    const { book, snapshots, texts, turns } = this.options;
    return {
      ...{ ...into, book, snapshots, texts },
      record: (...change) => turns.record(...change),
      isClosing: () => turns.isClosing,
    };
  }

  /** False where the window closes first. */
  async #takeIn(
    stored: ReviewState,
    found: Awaited<ReturnType<typeof findLeft>>,
    review: RestartedReview,
  ): Promise<boolean> {
    const { comments, onUnseen } = this.options;
    const unseen = await takeIn(stored.reviews, found, review);
    if (unseen === undefined) return false;
    onUnseen(unseen);
    comments.load(stored.comments, stored.reviews);
    comments.refresh();
    return true;
  }

  /**
   * What another window left is from now on under review in this one. What its tabs can go back to stays with them: there, or
   * here where they come back here.
   */
  async #adopt(file: string, hasOurTabs: boolean): Promise<void> {
    const { checkpoints, gathered, onProblem, restored } = this.options;
    const store = new ReviewStore(file, onProblem);
    const openTurns = new OpenTurnsFile(openTurnsFile(file));
    const [stored, left] = [await store.load(), await openTurns.left(true)];
    if (stored.reviews.length + stored.comments.length === 0 && !left && !hasOurTabs) return;
    const ofTabs = { checkpoints: stored.checkpoints, restores: stored.restores };
    const ofNone = { checkpoints: {}, restores: {} };
    const ofNobody = { checkpoints: new Checkpoints(), restored: { load: () => undefined } };
    const review = this.#taking(hasOurTabs ? { checkpoints, restored } : ofNobody);
    // It may take long, and this window's own is stored meanwhile.
    const found = await findLeft(hasOurTabs ? stored : { ...stored, ...ofNone }, left, review);
    if (!(await gathered.take(() => this.#takeIn(stored, found, review)))) return;
    if (!(await this.stored())) return;
    store.save(() => ({ ...(hasOurTabs ? ofNone : ofTabs), reviews: [], comments: [] }));
    if (left) openTurns.taken();
    await Promise.all([store.flush(), openTurns.flush()]);
  }
}
