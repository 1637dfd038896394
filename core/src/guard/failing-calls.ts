import { updatedToolCall } from "../base/acp/tool-call.js";
import type { Members } from "../base/rpc/json.js";

/** Number of equal failures in a row that can no longer be a coincidence. */
const mostFailures = 4;
const longestTitle = 100;

/** Detects a call that an agent repeats in a turn although the call fails each time. */
export class FailingCalls {
  readonly #calls = new Map<string, Members>();
  #last: string | undefined;
  #failures = 0;
  #isTold = false;

  /** Processes a `tool_call` or `tool_call_update`. Returns a notice for the user, at most once per turn. */
  update({ toolCallId, status, title, rawInput }: Members): string | undefined {
    if (typeof toolCallId !== "string" || this.#isTold) return undefined;
    const known = this.#calls.get(toolCallId);
    // Keep the first title, since titles change during a call.
    const call = updatedToolCall(known, { rawInput, title: known?.["title"] ?? title });
    this.#calls.set(toolCallId, call);
    if (status !== "failed" && status !== "completed") return undefined;
    this.#calls.delete(toolCallId);
    const what = call["rawInput"] ?? call["title"];
    const key = what === undefined ? undefined : JSON.stringify(what);
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
