import type { GivenAnswer } from "./answer-sink.js";
import { callIdsOf, type ConversationMessage, textOf } from "./conversation-message.js";

export interface DigestedHistory {
  readonly messages: readonly ConversationMessage[];
  readonly digest: HistoryDigest;
}

/**
 * Result of comparing a request's history with a session's. `extends`: the session knows all messages before `from`. `rejects`: the
 * acknowledged messages match, but the last answer is missing, possibly with its request. `differs`: the request belongs to another
 * conversation or to an edited one.
 */
export type HistoryMatch =
  | {
      readonly kind: "extends";
      readonly from: number;
      /** Whether an answer of the session is in it. */ readonly isProven: boolean;
    }
  | { readonly kind: "rejects"; readonly from: number }
  | { readonly kind: "differs" };

/** History of one session: committed messages, which the client has sent back, and provisional ones, the last request with its answer. */
export class SessionHistory {
  #committed = { length: 0, digest: 0 };
  #requested = { length: 0, digest: 0 };
  #answer: GivenAnswer = { text: "", callIds: [], isPartial: true };

  /** Records that the session received all of `history`; earlier answers become committed. */
  requested({ messages, digest }: DigestedHistory): void {
    const length = messages.findLastIndex(({ role }) => role === "assistant") + 1;
    this.#committed = { length, digest: digest[length] ?? 0 };
    this.#requested = { length: messages.length, digest: digest[messages.length] ?? 0 };
    this.#answer = { text: "", callIds: [], isPartial: true };
  }

  answered(answer: GivenAnswer): void {
    this.#answer = answer;
  }

  get lastRequest(): { readonly length: number; readonly digest: number } {
    return this.#requested;
  }

  /**
   * Compares a request's history with the session's. With `isSameChat` the client confirms the conversation, and the last answer at its
   * place is sufficient: editors rewrite parts of earlier messages, and a user's edit removes later ones.
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
      // The client may omit a partial answer.
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

/** Returns whether a message in the client's history matches the given answer, or its beginning if partial. */
function isAnswer({ text, callIds, isPartial }: GivenAnswer, message: ConversationMessage): boolean {
  const theirs = callIdsOf(message);
  if (theirs.some((id) => !callIds.includes(id))) return false;
  if (theirs.length > 0) return true;
  if (callIds.length > 0 && !isPartial) return false;
  const [given, kept] = [squeezed(text), squeezed(textOf(message))];
  if (given === kept) return true;
  return isPartial && kept !== "" && given.startsWith(kept);
}

/** Ignores differences in white space, since clients trim and join texts. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Digests of a history's beginnings, one for each number of messages. Equal digests mean equal messages. */
type HistoryDigest = readonly number[];

/** Returns one digest more than there are messages; the first is of an empty history. Requires normalized messages. */
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
      // An image's length and its last characters suffice to identify the image.
      else if (part.kind === "image") state.add(`${part.data.length} ${part.data.slice(-64)}`);
      else if (part.kind === "link") state.add(part.url);
    }
    digests.push(state.value);
  }
  return digests;
}

/** Hash with two lanes that reads two characters at a time, for speed: every request hashes a long history. */
class RunningDigest {
  #even = 0x811c9dc5;
  #odd = 0x1b873593;

  /** The hash as a 53-bit number, which makes accidental collisions of different histories unlikely. */
  get value(): number {
    return (this.#odd & 0x1fffff) * 0x1_0000_0000 + (this.#even >>> 0);
  }

  /** Adds the text between two indexes without slicing, which is slower. */
  add(text: string, start = 0, end = text.length): void {
    let even = this.#even ^ (end - start);
    let odd = this.#odd;
    let index = start;
    for (; index + 3 < end; index += 4) {
      even = Math.imul(even ^ text.charCodeAt(index) ^ (text.charCodeAt(index + 1) << 16), 0x01000193);
      odd = Math.imul(odd ^ text.charCodeAt(index + 2) ^ (text.charCodeAt(index + 3) << 16), 0x01000193);
      // Mix the high bits into the low bits, since the low bits of a product depend only on low bits.
      even ^= even >>> 15;
      odd ^= odd >>> 15;
    }
    for (; index < end; index++) even = Math.imul(even ^ text.charCodeAt(index), 0x01000193);
    // Mark the end of the text, so that a text and a longer text that starts with it have different hashes.
    this.#even = Math.imul(even ^ 0x10000 ^ (odd >>> 13), 0x01000193);
    this.#odd = Math.imul(odd ^ 0x20000 ^ (even >>> 17), 0x01000193);
  }
}
