import { refOf } from "./past-calls.js";

/** The references of the tool calls of a turn: they count in the order in which they begin. */
export class TurnCalls {
  #turn = 0;
  readonly #ids: unknown[] = [];

  begin(turn: number): void {
    this.#turn = turn;
    this.#ids.length = 0;
  }

  /** The reference of the call that the agent calls `id`. */
  refOf(id: unknown): string {
    const known = this.#ids.indexOf(id);
    return refOf(this.#turn, known === -1 ? this.#ids.push(id) : known + 1);
  }
}
