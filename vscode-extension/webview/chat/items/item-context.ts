import type { Folds } from "../state/folds.js";
import type { Slices } from "../work/slices.js";

/** What elements of a transcript share. */
export interface ItemContext {
  readonly slices: Slices;
  readonly folds: Folds;
}
