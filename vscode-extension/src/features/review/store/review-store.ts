import { StateFile } from "../files/state-file.js";
import { readOrSetAside } from "../files/read-or-set-aside.js";
import { parseStoredReview, type ReviewState, storedReview } from "./stored-review.js";

/** Stores the reviews in one file, which exists only if there is something to store. */
export class ReviewStore extends StateFile<ReviewState> {
  constructor(file: string, onProblem: (error: unknown) => void) {
    super(file, onProblem, (state) => (isEmpty(state) ? undefined : storedReview(state)));
  }

  /**
   * Returns the stored state, or an empty state if there is no file. Moves an unreadable file aside. Rejects if the file can't be read
   * right now; callers must then not save.
   */
  async load(): Promise<ReviewState> {
    const stored = await readOrSetAside(this.file, parseStoredReview, this.onProblem);
    return stored ?? { reviews: [], checkpoints: {}, restores: {}, comments: [] };
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
