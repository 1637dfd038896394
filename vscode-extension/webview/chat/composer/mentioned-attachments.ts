import type { Attachment } from "../../../protocol/index.js";

/** Removes an attachment together with its mention in the text, and restores both, for example after an undo. */
export class Mentions {
  #gone: readonly Attachment[] = [];

  follow(before: string, after: string, attachments: readonly Attachment[]): readonly Attachment[] {
    const isIn = (text: string, { label }: Attachment): boolean => text.includes(`@${label}`);
    const isGone = (one: Attachment): boolean => isIn(before, one) && !isIn(after, one);
    const back = this.#gone.filter((one) => isIn(after, one) && !attachments.includes(one));
    this.#gone = [...this.#gone.filter((one) => !back.includes(one)), ...attachments.filter(isGone)];
    return [...attachments.filter((one) => !isGone(one)), ...back];
  }
}
