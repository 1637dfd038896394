import { Outcome } from "../rpc/message.js";
import type { Reply } from "../rpc/peer.js";

/** A prompt turn that is one of our slash commands. It is answered once, also when it is cancelled. */
export class CommandTurn {
  readonly #stop = new AbortController();
  #isOver = false;

  constructor(private readonly reply: Reply) {}

  /** Aborted when the client cancels the turn. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the turn after `say`; does nothing once it is over. */
  finish(say: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    say();
    this.reply(Outcome.of({ stopReason: "end_turn" }));
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop.abort();
    this.reply(Outcome.of({ stopReason: "cancelled" }));
  }
}
