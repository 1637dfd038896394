import type { GivenAnswer } from "./answer-sink.js";
import { callIdsOf, type ConversationMessage, textOf } from "./conversation-message.js";

/** A client's history with its digests. */
export interface DigestedHistory {
  readonly messages: readonly ConversationMessage[];
  readonly digest: HistoryDigest;
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

  /** Notes what the client was given. */
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

/** For each length, the digest of the messages up to there: equal digests are equal histories. */
type HistoryDigest = readonly number[];

/** Digests of a normalised history: one more than it has messages, the first of which is that of nothing. */
export function historyDigest(messages: readonly ConversationMessage[]): HistoryDigest {
  const state = new RunningDigest();
  const digests: number[] = [state.value];
  for (const message of messages) {
    state.add(message.role);
    const text = textOf(message);
    const start = text.length - text.trimStart().length;
    state.add(text, start, Math.max(start, text.trimEnd().length));
    for (const id of callIdsOf(message)) state.add(id);
    for (const part of message.parts) {
      if (part.kind === "result") state.add(part.id);
      // Of images the length and the end are enough.
      else if (part.kind === "image") state.add(`${part.data.length} ${part.data.slice(-64)}`);
      else if (part.kind === "link") state.add(part.url);
    }
    digests.push(state.value);
  }
  return digests;
}

/** A hash in two lanes, each of which takes two characters at a time: histories are long, and hashed at every request. */
class RunningDigest {
  #even = 0x811c9dc5;
  #odd = 0x1b873593;

  /** 53 bits: histories that differ are not taken for equal by chance. */
  get value(): number {
    return (this.#odd & 0x1fffff) * 0x1_0000_0000 + (this.#even >>> 0);
  }

  /** Adds the text from `start` to `end`: a piece cut out of it would be slower to read. */
  add(text: string, start = 0, end = text.length): void {
    let even = this.#even ^ (end - start);
    let odd = this.#odd;
    let index = start;
    for (; index + 3 < end; index += 4) {
      even = Math.imul(even ^ text.charCodeAt(index) ^ (text.charCodeAt(index + 1) << 16), 0x01000193);
      odd = Math.imul(odd ^ text.charCodeAt(index + 2) ^ (text.charCodeAt(index + 3) << 16), 0x01000193);
      // A product's low bits depend on low bits alone: what came in above them has to come down.
      even ^= even >>> 15;
      odd ^= odd >>> 15;
    }
    for (; index < end; index++) even = Math.imul(even ^ text.charCodeAt(index), 0x01000193);
    // So that a text that ends here differs from one that goes on.
    this.#even = Math.imul(even ^ 0x10000 ^ (odd >>> 13), 0x01000193);
    this.#odd = Math.imul(odd ^ 0x20000 ^ (even >>> 17), 0x01000193);
  }
}
