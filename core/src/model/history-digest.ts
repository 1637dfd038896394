import { callIdsOf, type ConversationMessage, textOf } from "./conversation-message.js";

/** For each length, the digest of the messages up to there: equal digests are equal histories. */
export type HistoryDigest = readonly number[];

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
      // Of images the length and the end tell enough.
      else if (part.kind === "image") state.add(`${part.data.length} ${part.data.slice(-64)}`);
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
    // What ends here is told from what goes on.
    this.#even = Math.imul(even ^ 0x10000 ^ (odd >>> 13), 0x01000193);
    this.#odd = Math.imul(odd ^ 0x20000 ^ (even >>> 17), 0x01000193);
  }
}
