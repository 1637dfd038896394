import * as z from "zod/mini";
import type { FileReview } from "../hunks/file-review.js";
import { type AnchoredTexts, followed, hunkAnchorSchema } from "../hunks/hunk-anchor.js";

const commentSchema = z.object({
  id: z.string(),
  text: z.string(),
  /** Milliseconds since the epoch. */
  writtenAtMs: z.number(),
  sentTo: z.optional(z.string()),
});

/** Comment thread at a line range of a change. Line numbers are 0-based and inclusive. */
export const commentThreadSchema = z.object({
  id: z.string(),
  path: z.string(),
  start: z.number(),
  end: z.number(),
  /** Anchor of the commented change, so that the thread follows the change. */
  hunk: z.optional(hunkAnchorSchema),
  diff: z.string(),
  tabIds: z.array(z.string()),
  comments: z.array(commentSchema),
});

type ReviewComment = z.infer<typeof commentSchema>;
export type CommentThread = z.infer<typeof commentThreadSchema>;
export type CommentPlace = Omit<CommentThread, "id" | "comments">;
type ChangedReview = Pick<FileReview, "hunks" | "isReviewed" | "baseline" | "current">;

export class ReviewComments {
  readonly #threads = new Map<string, CommentThread>();
  readonly #texts = new Map<string, AnchoredTexts>();

  /** `changed` is called for each added, changed or removed thread. */
  constructor(
    private readonly changed: (threadId: string) => void,
    private readonly now: () => number = Date.now,
  ) {}

  get threads(): readonly CommentThread[] {
    return [...this.#threads.values()];
  }

  get unsent(): readonly CommentThread[] {
    return this.threads
      .map((thread) => ({ ...thread, comments: thread.comments.filter(({ sentTo }) => sentTo === undefined) }))
      .filter(({ comments }) => comments.length > 0);
  }

  thread(id: string): CommentThread | undefined {
    return this.#threads.get(id);
  }

  begin(place: CommentPlace, text: string, id: string = crypto.randomUUID(), texts?: AnchoredTexts): string {
    this.#know(id, texts);
    this.#set({ ...place, id, comments: [this.#comment(text)] });
    return id;
  }

  reply(threadId: string, text: string): void {
    this.#change(threadId, (comments) => [...comments, this.#comment(text)]);
  }

  /** Changes a comment's text. A sent comment becomes unsent if its text differs. */
  edit(threadId: string, commentId: string, text: string): void {
    const edited = (one: ReviewComment): ReviewComment => ({ id: one.id, text, writtenAtMs: one.writtenAtMs });
    this.#change(threadId, (comments) =>
      comments.map((one) => (one.id === commentId && one.text !== text ? edited(one) : one)),
    );
  }

  remove(threadId: string, commentId?: string): void {
    this.#change(threadId, (comments) => comments.filter(({ id }) => commentId !== undefined && id !== commentId));
  }

  /** Marks comments as sent, except those that the user edited meanwhile. */
  markSent(sent: readonly CommentThread[], sentTo: string): void {
    for (const thread of sent) {
      const wasSent = ({ id, text }: ReviewComment): boolean =>
        thread.comments.some((one) => one.id === id && one.text === text);
      this.#change(thread.id, (comments) => comments.map((one) => (wasSent(one) ? { ...one, sentTo } : one)));
    }
  }

  /**
   * Updates the threads after the diff of a file changed. A thread follows its change; a sent thread is closed when the file's review ends.
   */
  fileChanged(path: string, review: ChangedReview | undefined): void {
    for (const thread of this.threads) {
      if (thread.path !== path) continue;
      const isSent = thread.comments.every(({ sentTo }) => sentTo !== undefined);
      if (isSent && review?.isReviewed !== false) {
        this.remove(thread.id);
        continue;
      }
      // Keep the threads of a deleted file, because the file may reappear with its changes at the same lines.
      if (review && review.current !== null) this.#follow(thread, review);
    }
  }

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
