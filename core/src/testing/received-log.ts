import { Json } from "../rpc/json.js";
import { Outcome } from "../rpc/message.js";

const kept = 500;

/** The latest messages of one connection, as raw text. Bounded, so that long runs stay flat in memory. */
export class ReceivedLog {
  readonly #entries: string[] = [];

  add(kind: "request" | "notification", method: string, params: Json | undefined): void {
    const tail = params === undefined ? "" : `,"params":${params.text}`;
    this.#entries.push(`{"kind":"${kind}","method":${JSON.stringify(method)}${tail}}`);
    if (this.#entries.length > kept) this.#entries.shift();
  }

  /** `{received: [{kind, method, params?}]}`, oldest first. */
  get outcome(): Outcome {
    return Outcome.result(Json.ofText(`{"received":[${this.#entries.join(",")}]}`));
  }
}
