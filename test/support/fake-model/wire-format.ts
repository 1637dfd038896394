import type { JsonObject } from "../json.js";
import type { EventStream } from "./event-stream.js";
import type { ModelReply, ModelRequest, ToolCall } from "./model-request.js";

/** Writes one streamed answer; `finish` is called once, after the last piece. */
export interface AnswerWriter {
  text(chunk: string): void;
  /** Several calls of one answer are parallel ones. */
  call(call: ToolCall): void;
  finish(): void;
}

/** A reply that fits in one response body. */
export type WholeReply = Exclude<ModelReply, { readonly kind: "talk-until-cancelled" }>;

/** One provider's HTTP interface. `serial` is unique for each answer and makes its ids. */
export interface WireFormat {
  readonly name: string;
  /** Whether `path` (without its query) is this format's generation endpoint. */
  accepts(path: string): boolean;
  read(path: string, body: JsonObject): ModelRequest;
  /** The response body of an answer that is not streamed. */
  whole(body: JsonObject, reply: WholeReply, serial: number): JsonObject;
  stream(events: EventStream, body: JsonObject, serial: number): AnswerWriter;
}
