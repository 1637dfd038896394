import { join, relative } from "node:path";
import { isInside, openUntrusted } from "@symposium-dev/core/node";
import { byteOrderMark, isMarked } from "../review/hunks/opaque-text.js";
import type { Refusal, ReviewAnswers } from "../review/review-answers.js";
import type { ReviewBook } from "../review/review-book.js";
import type { MarkedConflict } from "./conflict-store.js";
import type { FileConflict, MergePlan } from "./merge-plan.js";
import type { OpenedMerge } from "./merge-sides.js";
import { takeModes } from "./merged-modes.js";

interface MergeReview {
  readonly book: Pick<ReviewBook, "attributesChanged" | "files" | "keep">;
  readonly answers: Pick<ReviewAnswers, "restore" | "learn">;
  wasMarked(path: string, text: string): void;
}

interface AgreedMerge {
  readonly review: MergeReview;
  readonly tabId: string;
  readonly root: string;
  readonly top: string;
  readonly changes: OpenedMerge["changes"];
  readonly plan: Pick<MergePlan, "files" | "conflicts">;
}

interface CarriedOutMerge {
  readonly refusals: readonly Refusal[];
  readonly conflicts: readonly (FileConflict & Pick<MarkedConflict, "found" | "theirFile">)[];
}

/** Writes a planned merge into the main tree, under review. Afterwards, undo no longer affects the worktree's files. */
export async function carryOutMerge(agreed: AgreedMerge): Promise<CarriedOutMerge> {
  const { review, tabId, root, top, changes, plan } = agreed;
  const inWorktree = (path: string): string => join(root, relative(top, path));
  for (const { path, now, text } of plan.files)
    if (now === null && text !== null && (await isFileMarked(inWorktree(path)))) review.wasMarked(path, text);
  const refusals = await review.answers.restore(tabId, plan.files);
  const isRefused = (path: string): boolean => refusals.some((refusal) => refusal.path === path);
  const files = plan.files.filter(({ path }) => !isRefused(path));
  await takeModes({ files, changes, top, root, tabId }, review.book);
  keepInside(review.book, root);
  const merged = new Map(files.map(({ path, text }) => [path, text]));
  const conflicts = await Promise.all(
    plan.conflicts.map(async (conflict) => {
      const found = merged.get(conflict.path) ?? (await review.answers.learn(conflict.path)).text ?? "";
      return { ...conflict, found, theirFile: inWorktree(conflict.path) };
    }),
  );
  return { refusals, conflicts };
}

export function keepInside(book: Pick<ReviewBook, "files" | "keep">, root: string): void {
  for (const { path } of book.files()) if (isInside(path, root)) book.keep(path);
}

async function isFileMarked(file: string): Promise<boolean> {
  const handle = await openUntrusted(file, { maxBytes: Infinity, links: "follow" }).catch(() => undefined);
  if (!handle) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(byteOrderMark.length));
    return isMarked(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}
