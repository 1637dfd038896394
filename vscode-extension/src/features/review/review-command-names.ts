/** The commands of the review, without `symposium.review.`. They are registered before anything of the review is loaded. */
export const reviewCommandNames = [
  "keepHunk",
  "undoHunk",
  "keepFile",
  "undoFile",
  "keepAll",
  "undoAll",
  "openFile",
  "openAll",
  "nextHunk",
  "previousHunk",
  "restoreCheckpoint",
] as const;

export type ReviewCommandName = (typeof reviewCommandNames)[number];
