import { refOf } from "./past-calls.js";

/** Assigns references to a turn's tool calls in start order. */
export class TurnCalls {
  #turn = 0;
  readonly #ids: unknown[] = [];

  begin(turn: number): void {
    this.#turn = turn;
    this.#ids.length = 0;
  }

  refOf(id: unknown): string {
    const known = this.#ids.indexOf(id);
    return refOf(this.#turn, known === -1 ? this.#ids.push(id) : known + 1);
  }
}
