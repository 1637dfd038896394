import type { AbilitySession } from "../../../acp/client-abilities.js";
import type { ObservedToolCall, SessionObserver } from "../../../acp/session-observers.js";
import type { WatchedToolCall } from "./agent-changes.js";

export interface ReviewedTurns {
  /** Resolves when the folders' snapshots are complete enough to start the turn. */
  promptStarted(tabId: string, messageId: string, folders: readonly string[]): Promise<void>;
  toolCall(tabId: string, call: WatchedToolCall): void;
  turnEnded(tabId: string): Promise<void>;
}

export class ReviewObserver implements SessionObserver {
  readonly #review: ReviewedTurns;

  constructor(review: ReviewedTurns) {
    this.#review = review;
  }

  turnStarted({ tabId, folders }: AbilitySession, itemId: string): Promise<void> {
    return this.#review.promptStarted(tabId, itemId, folders);
  }

  toolCall({ tabId }: AbilitySession, call: ObservedToolCall): void {
    const edits = call.edits.map(({ path, oldText, newText }) => ({ path, oldText: oldText ?? null, newText }));
    this.#review.toolCall(tabId, { ...call, edits });
  }

  turnEnded({ tabId }: AbilitySession): Promise<void> {
    return this.#review.turnEnded(tabId);
  }

  sessionEnded({ tabId }: AbilitySession): void {
    void this.#review.turnEnded(tabId);
  }
}
