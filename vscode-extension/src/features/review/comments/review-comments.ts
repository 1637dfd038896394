import * as z from "zod/mini";
import type { FileReview } from "../hunks/file-review.js";
import { type AnchoredTexts, followed, hunkAnchorSchema } from "../hunks/hunk-anchor.js";

const commentSchema = z.object({
  id: z.string(),
  text: z.string(),
  /** Milliseconds since the epoch. */
  writtenAtMs: z.number(),
  /** The name of the agent that it was sent to. */
  sentTo: z.optional(z.string()),
});

/** What the user said on one place of a change. Lines are those of the file, 0-based, both included. */
export const commentThreadSchema = z.object({
  id: z.string(),
  /** Absolute. */
  path: z.string(),
  start: z.number(),
  end: z.number(),
  /** The change that it is on: it moves with it. */
  hunk: z.optional(hunkAnchorSchema),
  /** The change as it was when the user commented on it, as a unified diff. */
  diff: z.string(),
  /** The tabs whose agents had changed the file. */
  tabIds: z.array(z.string()),
  comments: z.array(commentSchema),
});

type ReviewComment = z.infer<typeof commentSchema>;
export type CommentThread = z.infer<typeof commentThreadSchema>;
/** Where a thread begins. */
export type CommentPlace = Omit<CommentThread, "id" | "comments">;
type ChangedReview = Pick<FileReview, "hunks" | "isReviewed" | "baseline" | "current">;

/** What the user says on changes, until it is sent and the changes are answered. Knows no editor. */
export class ReviewComments {
  readonly #threads = new Map<string, CommentThread>();
  /** What the places of each thread are about, by its id, as far as it is known. */
  readonly #texts = new Map<string, AnchoredTexts>();

  /** `changed` hears of a thread that came, changed or went. */
  constructor(
    private readonly changed: (threadId: string) => void,
    private readonly now: () => number = Date.now,
  ) {}

  get threads(): readonly CommentThread[] {
    return [...this.#threads.values()];
  }

  /** The threads with something that is not sent, each with that alone. */
  get unsent(): readonly CommentThread[] {
    return this.threads
      .map((thread) => ({ ...thread, comments: thread.comments.filter(({ sentTo }) => sentTo === undefined) }))
      .filter(({ comments }) => comments.length > 0);
  }

  thread(id: string): CommentThread | undefined {
    return this.#threads.get(id);
  }

  /** Begins a thread; returns its id. `texts` are those of the file. */
  begin(place: CommentPlace, text: string, id: string = crypto.randomUUID(), texts?: AnchoredTexts): string {
    this.#know(id, texts);
    this.#set({ ...place, id, comments: [this.#comment(text)] });
    return id;
  }

  reply(threadId: string, text: string): void {
    this.#change(threadId, (comments) => [...comments, this.#comment(text)]);
  }

  /** Other words than those that were sent are not sent. */
  edit(threadId: string, commentId: string, text: string): void {
    const edited = (one: ReviewComment): ReviewComment => ({ id: one.id, text, writtenAtMs: one.writtenAtMs });
    this.#change(threadId, (comments) =>
      comments.map((one) => (one.id === commentId && one.text !== text ? edited(one) : one)),
    );
  }

  /** Removes one comment, or the whole thread. */
  remove(threadId: string, commentId?: string): void {
    this.#change(threadId, (comments) => comments.filter(({ id }) => commentId !== undefined && id !== commentId));
  }

  /** Marks what was sent; words that the user changed meanwhile are not among it. */
  markSent(sent: readonly CommentThread[], sentTo: string): void {
    for (const thread of sent) {
      const wasSent = ({ id, text }: ReviewComment): boolean =>
        thread.comments.some((one) => one.id === id && one.text === text);
      this.#change(thread.id, (comments) => comments.map((one) => (wasSent(one) ? { ...one, sentTo } : one)));
    }
  }

  /** The changes of a file are others now. A thread moves with its change; one that is sent ends with the file's review. */
  fileChanged(path: string, review: ChangedReview | undefined): void {
    for (const thread of this.threads) {
      if (thread.path !== path) continue;
      const isSent = thread.comments.every(({ sentTo }) => sentTo !== undefined);
      if (isSent && review?.isReviewed !== false) {
        this.remove(thread.id);
        continue;
      }
      // A file that is gone may come back, with its changes where they were.
      if (review && review.current !== null) this.#follow(thread, review);
    }
  }

  /** Takes up what was stored, with what was under review then. */
  load(threads: readonly CommentThread[], reviews: readonly (AnchoredTexts & { readonly path: string })[] = []): void {
    for (const thread of threads) {
      this.#threads.set(thread.id, thread);
      this.#know(
        thread.id,
        reviews.find(({ path }) => path === thread.path),
      );
    }
  }

  #follow(thread: CommentThread, review: ChangedReview): void {
    if (!thread.hunk) return;
    const { hunk, start } = followed({ hunk: thread.hunk, start: thread.start }, this.#texts.get(thread.id), review);
    this.#know(thread.id, review);
    const moved = { ...thread, hunk, start, end: start + thread.end - thread.start };
    if (start !== thread.start) this.#set(moved);
    else this.#threads.set(thread.id, moved);
  }

  #know(threadId: string, texts: AnchoredTexts | undefined): void {
    if (texts) this.#texts.set(threadId, { baseline: texts.baseline, current: texts.current });
  }

  #comment(text: string): ReviewComment {
    return { id: crypto.randomUUID(), text, writtenAtMs: this.now() };
  }

  #change(threadId: string, change: (comments: readonly ReviewComment[]) => ReviewComment[]): void {
    const thread = this.#threads.get(threadId);
    if (thread) this.#set({ ...thread, comments: change(thread.comments) });
  }

  #set(thread: CommentThread): void {
    if (thread.comments.length === 0) {
      this.#threads.delete(thread.id);
      this.#texts.delete(thread.id);
    } else this.#threads.set(thread.id, thread);
    this.changed(thread.id);
  }
}
