import { callIdsOf, type ConversationMessage, textOf } from "./conversation-message.js";
import type { HistoryDigest } from "./history-digest.js";

/** A client's history with its digests. */
export interface DigestedHistory {
  readonly messages: readonly ConversationMessage[];
  readonly digest: HistoryDigest;
}

/** The answer that a session gave last. */
export interface GivenAnswer {
  readonly text: string;
  readonly callIds: readonly string[];
  /** Whether the client may have kept less of it, or nothing: it was given up or failed. */
  readonly isPartial: boolean;
}

/**
 * How a request's history goes with what a session knows. `extends`: it has all of it, and the session has not seen what
 * comes from `from` on. `rejects`: what the client had acknowledged is there, but not the last answer, or not what it
 * answers either. `differs`: it is another conversation, or one that was edited.
 */
export type HistoryMatch =
  | {
      readonly kind: "extends";
      readonly from: number;
      /** Whether an answer of the session is in it. */ readonly isProven: boolean;
    }
  | { readonly kind: "rejects"; readonly from: number }
  | { readonly kind: "differs" };

/**
 * What one session has behind it: the messages that its client acknowledged by sending them back (committed), and those
 * of the last request with the answer to it (provisional).
 */
export class SessionHistory {
  #committed = { length: 0, digest: 0 };
  #requested = { length: 0, digest: 0 };
  #answer: GivenAnswer = { text: "", callIds: [], isPartial: true };

  /** Notes that the session was sent all of `history`; what it had answered before is committed. */
  requested({ messages, digest }: DigestedHistory): void {
    const length = messages.findLastIndex(({ role }) => role === "assistant") + 1;
    this.#committed = { length, digest: digest[length] ?? 0 };
    this.#requested = { length: messages.length, digest: digest[messages.length] ?? 0 };
    this.#answer = { text: "", callIds: [], isPartial: true };
  }

  /** Notes what the client was told. */
  answered(answer: GivenAnswer): void {
    this.#answer = answer;
  }

  /** The last request: how many messages it had, and their digest. */
  get lastRequest(): { readonly length: number; readonly digest: number } {
    return this.#requested;
  }

  /**
   * `isSameChat`: the client itself says that it is one conversation. Then the last answer in its place is proof enough:
   * editors write what they add to earlier messages anew, and a user who edits one loses what followed it.
   */
  match({ messages, digest }: DigestedHistory, isSameChat = false): HistoryMatch {
    const { length } = this.#requested;
    const next = messages[length];
    const isLast = messages.findLastIndex(({ role }) => role === "assistant") === length;
    if (isSameChat && isLast && next && isSaid(this.#answer) && isAnswer(this.#answer, next)) {
      return { kind: "extends", from: length + 1, isProven: true };
    }
    if (length > 0 && messages.length > length && digest[length] === this.#requested.digest) {
      if (next?.role === "assistant" && isAnswer(this.#answer, next)) {
        return { kind: "extends", from: length + 1, isProven: true };
      }
      const isKnown = this.#committed.length > 0;
      // A partial answer may be missing.
      if (next?.role === "user" && this.#answer.isPartial) return { kind: "extends", from: length, isProven: isKnown };
      if (next?.role === "user" && (isKnown || isSameChat)) return { kind: "rejects", from: length };
    }
    const committed = this.#committed;
    const isCommitted = committed.length > 0 && digest[committed.length] === committed.digest;
    if (isCommitted && messages.length > committed.length && messages[committed.length]?.role === "user") {
      return { kind: "rejects", from: committed.length };
    }
    return { kind: "differs" };
  }
}

function isSaid({ text, callIds }: GivenAnswer): boolean {
  return text.trim() !== "" || callIds.length > 0;
}

/** Whether a message of the client's history is what it was answered, as far as it got it. */
function isAnswer({ text, callIds, isPartial }: GivenAnswer, message: ConversationMessage): boolean {
  const theirs = callIdsOf(message);
  if (theirs.some((id) => !callIds.includes(id))) return false;
  if (theirs.length > 0) return true;
  if (callIds.length > 0 && !isPartial) return false;
  const [given, kept] = [squeezed(text), squeezed(textOf(message))];
  if (given === kept) return true;
  return isPartial && kept !== "" && given.startsWith(kept);
}

/** Clients trim, and join what stood in several pieces. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
