import type { JsonObject } from "../json.js";

/** A tool that an agent offers to the model, whatever the wire format calls it. */
export interface OfferedTool {
  readonly name: string;
  /** JSON schema of the arguments; empty when the format gives none. */
  readonly schema: JsonObject;
  /** Group of the tool, which the call has to repeat (OpenAI responses only). */
  readonly namespace?: string;
  /** The tool takes free text instead of JSON arguments (OpenAI responses only). */
  readonly isFreeform?: boolean;
}

/** A tool's result as the agent reports it back to the model. */
export interface ReportedResult {
  /** The call it answers: an id, or the tool's name where the format has no ids. */
  readonly call: string;
  readonly text: string;
}

/** Request to the model, independent of the wire format. */
export interface ModelRequest {
  readonly tools: readonly OfferedTool[];
  /** Every tool result of the conversation so far, oldest first. */
  readonly toolResults: readonly ReportedResult[];
  /** Whether the last thing of the conversation is a tool result: the model goes on with a turn. */
  readonly endsWithResult: boolean;
  /** Everything the user side has said, as one text. */
  readonly userText: string;
  readonly isStreaming: boolean;
  /** The JSON schema that the answer has to satisfy, when the agent asks for structured output. */
  readonly answerSchema?: JsonObject;
}

export interface ToolCall {
  readonly tool: OfferedTool;
  readonly arguments: JsonObject;
}

/** Model's reply to one request. `call` makes all calls in parallel. `talk-until-cancelled` continues until the agent hangs up. */
export type ModelReply =
  | { readonly kind: "call"; readonly calls: readonly ToolCall[] }
  | { readonly kind: "say"; readonly chunks: readonly string[] }
  | { readonly kind: "talk-until-cancelled" };
