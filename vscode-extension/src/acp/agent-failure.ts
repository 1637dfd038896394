import { SymposiumError, type SymposiumErrorCode } from "@symposium-dev/core";
import { numberOf, objectOf, stringOf } from "./wire.js";

/** An agent that could not start, or ended. `details` is the tail of what it wrote to stderr, where it wrote anything. */
export class AgentFailure extends SymposiumError {
  constructor(
    code: SymposiumErrorCode,
    message: string,
    hint?: string,
    readonly details?: string,
  ) {
    super(code, message, hint);
  }
}

/** An error that the agent, or a component before it, gave as its answer. */
export class AgentRefusal extends Error {
  override readonly name = "AgentRefusal";
  readonly code: number | undefined;
  readonly data: unknown;

  /** `error` is the JSON-RPC error object as it came. */
  constructor(error: unknown) {
    const { code, message, data } = objectOf(error) ?? {};
    const detail = detailOf(data);
    const text = stringOf(message) ?? "The agent refused without saying why.";
    super(detail === undefined || text.includes(detail) ? text : `${text}: ${detail}`);
    this.code = numberOf(code);
    this.data = data;
  }

  /** Where the conductor reports a component that ended or did not start: what that wrote to stderr. */
  get failure(): AgentFailure | undefined {
    const data = objectOf(this.data);
    if (stringOf(data?.["component"]) === undefined) return undefined;
    return new AgentFailure("component-exited", this.message, undefined, stringOf(data?.["stderr"]));
  }
}

/** What agents put beside the message: a text, or an object with one. */
function detailOf(data: unknown): string | undefined {
  const text = stringOf(data) ?? stringOf(objectOf(data)?.["details"]) ?? stringOf(objectOf(data)?.["message"]);
  return text === "" ? undefined : text;
}
