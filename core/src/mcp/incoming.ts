import { Frame } from "../rpc/frame.js";
import { Json } from "../rpc/json.js";
import { rpcErrorCodes } from "../rpc/rpc-error.js";
import type { McpOutcome } from "./mcp-server.js";
import { mcpError } from "./outcome.js";

/** A request or notification of a client. */
export interface McpCall {
  readonly method: string;
  readonly params: Json | undefined;
  /** The id as raw JSON; undefined for notifications. */
  readonly id: string | undefined;
}

/**
 * What one message of a client is: a call; an answer, which nobody waits for, as clients are asked nothing; or none at all,
 * with what its sender is to hear, so that nobody waits for an answer that never comes.
 */
export type McpReceived =
  | { readonly kind: "call"; readonly call: McpCall }
  | { readonly kind: "answer" }
  | { readonly kind: "fault"; readonly id: string; readonly outcome: McpOutcome };

/** Reads what stands on a line or in a body. All of it is checked: what is no JSON reaches no server. */
export function readIncoming(text: string): McpReceived {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault("null", rpcErrorCodes.parseError, "the message is not JSON");
  }
  if (Array.isArray(value)) return fault("null", rpcErrorCodes.invalidRequest, "batches are not supported");
  const frame = Frame.scan(text);
  if (!frame) return fault("null", rpcErrorCodes.invalidRequest, "a message is a JSON object");
  const id = frame.id.isPresent ? frame.id.of(frame.text) : undefined;
  const method = frame.methodName;
  if (method === undefined) {
    const isAnswer = !frame.method.isPresent && (frame.result.isPresent || frame.error.isPresent);
    return isAnswer ? { kind: "answer" } : fault(id ?? "null", rpcErrorCodes.invalidRequest, "the method is no string");
  }
  const params = frame.params.isPresent ? Json.ofText(frame.params.of(frame.text)) : undefined;
  return { kind: "call", call: { method, params, id } };
}

/** The text that answers `id` (raw JSON). */
export function answerLine(id: string, outcome: McpOutcome): string {
  return `{"jsonrpc":"2.0","id":${id},"${outcome.isError ? "error" : "result"}":${outcome.json.text}}`;
}

function fault(id: string, code: number, message: string): McpReceived {
  return { kind: "fault", id, outcome: mcpError(code, message) };
}
