import { LatestFile } from "../files/latest-file.js";
import { readLeft } from "../files/left-file.js";
import { parseStoredReview, type ReviewState, storedReview } from "./stored-review.js";

/** Keeps the state of the reviews in one file, which is there only while there is something to keep. */
export class ReviewStore {
  readonly #latest: LatestFile;

  /** `onProblem` hears of a file that cannot be written; the reviews go on without it. */
  constructor(
    private readonly file: string,
    private readonly onProblem: (error: unknown) => void,
  ) {
    this.#latest = new LatestFile(file, onProblem);
  }

  /** What was to be written last could not be. */
  get isBehind(): boolean {
    return this.#latest.isBehind;
  }

  /**
   * What was stored, or nothing where there is no file. One that cannot be understood, as of a later version, is kept aside.
   * Rejects where it cannot be read at the moment: nothing is to be saved then.
   */
  async load(): Promise<ReviewState> {
    const stored = await readLeft(this.file, parseStoredReview, this.onProblem);
    return stored ?? { reviews: [], checkpoints: {}, restores: {}, comments: [] };
  }

  /** Stores what `state` says when it is written, which is soon. */
  save(state: () => ReviewState): void {
    this.#latest.save(() => {
      const now = state();
      return isEmpty(now) ? undefined : storedReview(now);
    });
  }

  /** Resolves when everything is written. */
  flush(): Promise<void> {
    return this.#latest.flush();
  }
}

function isEmpty({ reviews, comments, restores, checkpoints }: ReviewState): boolean {
  const isEmptyTab = (prompts: ReviewState["checkpoints"][string]): boolean => prompts.length === 0;
  return (
    reviews.length === 0 &&
    comments.length === 0 &&
    Object.keys(restores).length === 0 &&
    Object.values(checkpoints).every(isEmptyTab)
  );
}
