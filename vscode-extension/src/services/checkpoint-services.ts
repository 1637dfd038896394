import type { Change } from "../../protocol/index.js";
import type { SessionObserver } from "../acp/session-observers.js";
import type { ChatTabs } from "../features/chat/chat-tabs.js";
import { RestorablePrompts } from "../features/review/restore/restorable-prompts.js";
import { restoreCheckpoint, restoreUnasked } from "../features/review/restore/restore-checkpoint.js";
import { ReviewObserver } from "../features/review/turns/review-observer.js";
import type { Review } from "../features/review/review.js";

export class CheckpointServices {
  /** Observers in the order in which they must run: first the review, then the restore actions, which depend on the review. */
  readonly observers: readonly SessionObserver[];
  readonly #prompts: RestorablePrompts;

  constructor(
    private readonly review: Review,
    private readonly tabs: () => ChatTabs,
  ) {
    this.#prompts = new RestorablePrompts(review.checkpoints, (tabId) => review.restored.promptOf(tabId));
    this.observers = [new ReviewObserver(review), this.#prompts];
  }

  async restore(tabId: string, messageId: string): Promise<void> {
    const goBack = (): void => {
      const tab = this.tabs().tab(tabId);
      if (tab) this.tabs().goBack(tab, messageId, crypto.randomUUID());
    };
    await restoreCheckpoint(this.review, tabId, messageId, { goBack });
    this.#offer(tabId);
  }

  async restoreUnasked(tabId: string, messageId: string): Promise<void> {
    await restoreUnasked(this.review, tabId, messageId);
    this.#offer(tabId);
  }

  async undoRestore(tabId: string): Promise<void> {
    const paths = this.review.restored.pathsOf(tabId);
    this.review.report(await this.review.restored.undo(tabId), paths);
    this.#offer(tabId);
  }

  offerAll(): void {
    for (const { tabId } of this.tabs().tabs) this.#offer(tabId);
  }

  #offer(tabId: string): void {
    const { transcript } = this.tabs().tab(tabId) ?? {};
    if (!transcript) return;
    const publish = (change: Change): void => transcript.publish(change);
    this.#prompts.offer({ tabId, transcript: transcript.transcript, publish });
  }
}
