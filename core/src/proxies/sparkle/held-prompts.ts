import { Outcome, type Request } from "../../rpc/message.js";
import type { Cancel, Peer, Reply } from "../../rpc/peer.js";
import { RpcError } from "../../rpc/rpc-error.js";

interface HeldPrompt {
  readonly request: Request;
  readonly reply: Reply;
  /** Cancels it once it was sent. */
  cancel?: Cancel;
}

/** Prompts of a session that wait for what its memory says, in their order. */
export class HeldPrompts {
  #waiting: HeldPrompt[] = [];

  add(request: Request, reply: Reply): Cancel {
    const prompt: HeldPrompt = { request, reply };
    this.#waiting.push(prompt);
    return () => {
      if (prompt.cancel) prompt.cancel();
      else if (this.#take(prompt)) reply(Outcome.error(RpcError.cancelled()));
    };
  }

  /** Ends the turns of all that wait, as `session/cancel` does; false when none does. */
  cancelAll(): boolean {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reply } of waiting) reply(Outcome.of({ stopReason: "cancelled" }));
    return waiting.length > 0;
  }

  /** Sends all that wait to `successor`, each as `edit` makes it. */
  release(successor: Peer, edit: (request: Request, reply: Reply) => readonly [Request, Reply]): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const prompt of waiting) prompt.cancel = successor.request(...edit(prompt.request, prompt.reply));
  }

  #take(prompt: HeldPrompt): boolean {
    const index = this.#waiting.indexOf(prompt);
    if (index !== -1) this.#waiting.splice(index, 1);
    return index !== -1;
  }
}
