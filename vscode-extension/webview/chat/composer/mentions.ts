import type { Attachment } from "../../../protocol/index.js";

/** Lets an attachment go with its mention in the text, and come back with it, as with the field's own Undo. */
export class Mentions {
  #gone: readonly Attachment[] = [];

  /** Returns the attachments after `before` became `after`. */
  follow(before: string, after: string, attachments: readonly Attachment[]): readonly Attachment[] {
    const isIn = (text: string, { label }: Attachment): boolean => text.includes(`@${label}`);
    const isGone = (one: Attachment): boolean => isIn(before, one) && !isIn(after, one);
    const back = this.#gone.filter((one) => isIn(after, one) && !attachments.includes(one));
    this.#gone = [...this.#gone.filter((one) => !back.includes(one)), ...attachments.filter(isGone)];
    return [...attachments.filter((one) => !isGone(one)), ...back];
  }
}
