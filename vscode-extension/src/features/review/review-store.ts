import { readFile, rm } from "node:fs/promises";
import { atomicWrite } from "@symposium-dev/core/node";
import * as z from "zod/mini";
import type { StoredCheckpoints } from "./checkpoints.js";
import type { StoredRestore } from "./restored-files.js";
import type { StoredReview } from "./review-book.js";

const text = z.nullable(z.string());

const storedSchema = z.object({
  version: z.literal(1),
  reviews: z.array(
    z.object({
      path: z.string(),
      tabIds: z.array(z.string()),
      baseline: text,
      current: text,
      written: z.optional(text),
    }),
  ),
  checkpoints: z.record(
    z.string(),
    z.array(
      z.object({
        messageId: z.string(),
        files: z.array(z.object({ path: z.string(), before: text, after: text })),
      }),
    ),
  ),
  restores: z.optional(
    z.record(
      z.string(),
      z.object({
        messageId: z.string(),
        files: z.array(z.object({ path: z.string(), now: text, text, hasOthers: z.boolean() })),
      }),
    ),
  ),
});

/** Everything that a review needs to go on after a restart. */
export interface ReviewState {
  readonly reviews: readonly StoredReview[];
  readonly checkpoints: Readonly<Record<string, StoredCheckpoints>>;
  /** By tab. */
  readonly restores: Readonly<Record<string, StoredRestore>>;
}

/** Keeps the state of the reviews in one file. Writes follow each other; a burst of changes is written once. */
export class ReviewStore {
  readonly #file: string;
  #next: (() => ReviewState) | undefined;
  #writing: Promise<void> | undefined;
  readonly #onProblem: (error: unknown) => void;

  /** `onProblem` hears of a file that cannot be written; the reviews go on without it. */
  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
  }

  /** What was stored, or nothing where there is no file or it cannot be understood. */
  async load(): Promise<ReviewState> {
    const nothing: ReviewState = { reviews: [], checkpoints: {}, restores: {} };
    try {
      const parsed = storedSchema.safeParse(JSON.parse(await readFile(this.#file, "utf8")));
      if (!parsed.success) return nothing;
      const { reviews, checkpoints, restores = {} } = parsed.data;
      return { reviews, checkpoints, restores };
    } catch {
      return nothing;
    }
  }

  /** Stores what `state` says when it is written, which is soon. */
  save(state: () => ReviewState): void {
    this.#next = state;
    this.#writing ??= this.#write();
  }

  /** Resolves when everything is written. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    // A turn of the event loop later: all changes of one message are one write.
    await new Promise(setImmediate);
    while (this.#next) {
      const state = this.#next();
      this.#next = undefined;
      const isEmpty =
        state.reviews.length === 0 &&
        Object.keys(state.restores).length === 0 &&
        Object.values(state.checkpoints).every((prompts) => prompts.length === 0);
      try {
        if (isEmpty) await rm(this.#file, { force: true });
        else await atomicWrite(this.#file, JSON.stringify({ version: 1, ...state }));
      } catch (error) {
        this.#onProblem(error);
      }
    }
    this.#writing = undefined;
  }
}
