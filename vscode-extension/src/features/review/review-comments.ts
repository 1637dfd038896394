import * as z from "zod/mini";
import type { FileReview } from "./engine/file-review.js";

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
  /** The change that it is on, and how far below its first line: it moves with it. */
  hunk: z.optional(z.object({ id: z.string(), offset: z.number() })),
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

/** What the user says on changes, until it is sent and the changes are answered. Knows no editor. */
export class ReviewComments {
  readonly #threads = new Map<string, CommentThread>();

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

  /** Begins a thread; returns its id. */
  begin(place: CommentPlace, text: string, id: string = crypto.randomUUID()): string {
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
  fileChanged(path: string, review: Pick<FileReview, "hunks" | "isReviewed"> | undefined): void {
    for (const thread of this.threads) {
      if (thread.path !== path) continue;
      const isSent = thread.comments.every(({ sentTo }) => sentTo !== undefined);
      if (isSent && review?.isReviewed !== false) {
        this.remove(thread.id);
        continue;
      }
      const hunk = review?.hunks.find(({ id }) => id === thread.hunk?.id);
      if (!hunk || !thread.hunk) continue;
      const start = hunk.start + thread.hunk.offset;
      if (start !== thread.start) this.#set({ ...thread, start, end: start + thread.end - thread.start });
    }
  }

  /** Takes up what was stored. */
  load(threads: readonly CommentThread[]): void {
    for (const thread of threads) this.#threads.set(thread.id, thread);
  }

  #comment(text: string): ReviewComment {
    return { id: crypto.randomUUID(), text, writtenAtMs: this.now() };
  }

  #change(threadId: string, change: (comments: readonly ReviewComment[]) => ReviewComment[]): void {
    const thread = this.#threads.get(threadId);
    if (thread) this.#set({ ...thread, comments: change(thread.comments) });
  }

  #set(thread: CommentThread): void {
    if (thread.comments.length === 0) this.#threads.delete(thread.id);
    else this.#threads.set(thread.id, thread);
    this.changed(thread.id);
  }
}
