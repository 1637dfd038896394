type Members = Readonly<Record<string, unknown>>;

/** So many times in a row, the same call fails by no accident. */
const mostFailures = 4;
const longestTitle = 100;

/** Finds a call that an agent makes again and again in one turn, although it fails each time. */
export class FailingCalls {
  readonly #calls = new Map<string, string>();
  #last: string | undefined;
  #failures = 0;
  #isTold = false;

  /** A `tool_call` or `tool_call_update`; what the user is to be told, once a turn. */
  update({ toolCallId, status, title, rawInput }: Members): string | undefined {
    if (typeof toolCallId !== "string" || this.#isTold) return undefined;
    if (rawInput !== undefined || title !== undefined) {
      const known = this.#calls.get(toolCallId);
      // Its input says what it is; titles change while it runs.
      if (rawInput !== undefined || known === undefined) {
        this.#calls.set(toolCallId, JSON.stringify(rawInput ?? title));
      }
    }
    if (status !== "failed" && status !== "completed") return undefined;
    const key = this.#calls.get(toolCallId);
    this.#calls.delete(toolCallId);
    if (status === "completed" || key === undefined) {
      this.#failures = 0;
      return undefined;
    }
    this.#failures = key === this.#last ? this.#failures + 1 : 1;
    this.#last = key;
    if (this.#failures < mostFailures) return undefined;
    this.#isTold = true;
    return `The same call has failed ${mostFailures} times in a row: ${key.slice(0, longestTitle)}`;
  }
}
