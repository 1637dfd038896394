import { Checkpoints } from "../restore/checkpoints.js";
import type { CommentThreads } from "../comments/comment-threads.js";
import type { GatheredChanges } from "../turns/gathered-changes.js";
import { OpenTurnsFile } from "../turns/open-turns-file.js";
import type { RestoredFiles } from "../restore/restored-files.js";
import type { ReviewPlace } from "./review-folder-lock.js";
import { findLeft, type RestartedReview, takeIn } from "./restore-review.js";
import { openTurnsFile } from "./review-file-paths.js";
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
  readonly adoptBeside: (file: string) => Promise<void>;
  readonly onUnseen: (count: number) => void;
  readonly onProblem: (error: unknown) => void;
}

export class HandedOverReview {
  readonly #store: ReviewStore;
  /** True if the stored state wasn't loaded, because the window closed first or reading failed. The next window loads it unmodified. */
  #isPassedOn = false;
  readonly #end = new AbortController();

  constructor(private readonly options: KeptReviewOptions) {
    this.#store = new ReviewStore(options.place.file, options.onProblem);
  }

  /**
   * Restores the last window's review after `tabs` are restored, including changes of turns that were still running when that window
   * closed. Returns false if this window closes first. Rejects if reading or restoring fails; the file then stays unmodified and this
   * window stores nothing.
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

  async adoptLeft(): Promise<void> {
    await this.options.place.eachLeft(async (file, hasOurTabs) => {
      await this.#adopt(file, hasOurTabs);
      await this.options.adoptBeside(file);
    }, this.#end.signal);
  }

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

  /** Resolves with true once the book is on disk, with false if writing failed, for example on a full disk. */
  async stored(): Promise<boolean> {
    await this.options.gathered.whenTold();
    await this.#store.flush();
    return !this.#store.isBehind;
  }

  flush(): Promise<void> {
    return this.#store.flush();
  }

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

  /** Restores a stored review and the changes that were found. Returns false if the window closes first. */
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
   * Takes over another window's review. The checkpoints of that window's tabs stay in its file, unless the tabs are restored in this
   * window.
   */
  async #adopt(file: string, hasOurTabs: boolean): Promise<void> {
    const { checkpoints, gathered, onProblem, restored } = this.options;
    const store = new ReviewStore(file, onProblem);
    const openTurns = new OpenTurnsFile(openTurnsFile(file));
    const [stored, left] = [await store.load(), await openTurns.left()];
    if (stored.reviews.length + stored.comments.length === 0 && !left && !hasOurTabs) return;
    const ofTabs = { checkpoints: stored.checkpoints, restores: stored.restores };
    const ofNone = { checkpoints: {}, restores: {} };
    const ofNobody = { checkpoints: new Checkpoints(), restored: { load: () => undefined } };
    const review = this.#taking(hasOurTabs ? { checkpoints, restored } : ofNobody);
    // Finding changes can take long, so this window continues to store its own state meanwhile.
    const found = await findLeft(hasOurTabs ? stored : { ...stored, ...ofNone }, left, review);
    if (!(await gathered.take(() => this.#takeIn(stored, found, review)))) return;
    if (!(await this.stored())) return;
    store.save(() => ({ ...(hasOurTabs ? ofNone : ofTabs), reviews: [], comments: [] }));
    if (left) openTurns.taken();
    await Promise.all([store.flush(), openTurns.flush()]);
  }
}
