import type { AnswerSink, CalledTool } from "../answer-sink.js";
import type { MessagePart } from "../conversation-message.js";
import type { Members } from "../../base/rpc/json.js";
import type { AnswerEnd, FinishReason, Usage } from "./chat-completion.js";
import type { ChatMessage } from "./chat-message.js";
import type { ErrorResponse } from "./error-response.js";
import type { ResponsesRequest } from "./responses-request.js";

export type ResponseEvent = Members & { readonly type: string };

export interface ResponseHead {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly request: ResponsesRequest;
}

type TextKind = "message" | "reasoning";

interface OpenText {
  readonly kind: TextKind;
  readonly id: string;
  text: string;
}

/** Builds a response item by item from an agent's output and emits each step as an event. */
export class ResponseOutput implements AnswerSink {
  readonly #output: Members[] = [];
  readonly #calls: MessagePart[] = [];
  #open: OpenText | undefined;
  #text = "";
  #events = 0;

  constructor(
    private readonly head: ResponseHead,
    private readonly emit: (event: ResponseEvent) => void,
  ) {}

  get message(): ChatMessage {
    return { role: "assistant", parts: [{ kind: "text", text: this.#text }, ...this.#calls] };
  }

  content(text: string): void {
    this.#text += text;
    this.#say("message", text);
  }

  reasoning(text: string): void {
    this.#say("reasoning", text);
  }

  toolCall({ id, name, args }: CalledTool): void {
    this.#calls.push({ kind: "call", id, name, args });
    this.#begin();
    this.#close("completed");
    const call = { type: "function_call", id: this.#itemId("fc"), call_id: id, name };
    const place = { output_index: this.#output.length, item_id: call.id };
    const written = JSON.stringify(args);
    const done = { ...call, arguments: written, status: "completed" };
    this.#added({ ...call, arguments: "", status: "in_progress" });
    this.#send("response.function_call_arguments.delta", { ...place, delta: written });
    this.#send("response.function_call_arguments.done", { ...place, name, arguments: written });
    this.#done(done);
  }

  /** Returns the whole response and emits it as the last event. */
  end({ finishReason, usage }: AnswerEnd): unknown {
    const reason = reasons[finishReason];
    const status = reason === undefined ? "completed" : "incomplete";
    this.#begin();
    this.#close(status);
    const response = this.#response(status, {
      ...(reason !== undefined && { incomplete_details: { reason } }),
      ...(usage && { usage: usageOf(usage) }),
    });
    this.#send(`response.${status}`, { response });
    return response;
  }

  /** Emits an event for a failed answer. */
  fail({ code, message }: ErrorResponse): void {
    this.#begin();
    this.#close("incomplete");
    this.#send("response.failed", { response: this.#response("failed", { error: { code, message } }) });
  }

  #say(kind: TextKind, text: string): void {
    this.#begin();
    if (this.#open?.kind !== kind) this.#close("completed");
    this.#open ??= this.#opened(kind);
    this.#open.text += text;
    this.#send(`${texts[kind].event}.delta`, { ...this.#place(this.#open), delta: text, ...texts[kind].more });
  }

  #opened(kind: TextKind): OpenText {
    const open = { kind, id: this.#itemId(texts[kind].prefix), text: "" };
    this.#added(texts[kind].item(open.id, "in_progress", []));
    this.#send("response.content_part.added", { ...this.#place(open), part: texts[kind].part("") });
    return open;
  }

  #close(status: "completed" | "incomplete"): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const { item, part, event, more } = texts[open.kind];
    this.#send(`${event}.done`, { ...this.#place(open), text: open.text, ...more });
    this.#send("response.content_part.done", { ...this.#place(open), part: part(open.text) });
    this.#done(item(open.id, status, [part(open.text)]));
  }

  #place({ id }: OpenText): Members {
    return { item_id: id, output_index: this.#output.length, content_index: 0 };
  }

  #added(item: Members): void {
    this.#send("response.output_item.added", { output_index: this.#output.length, item });
  }

  #done(item: Members): void {
    this.#send("response.output_item.done", { output_index: this.#output.length, item });
    this.#output.push(item);
  }

  #begin(): void {
    if (this.#events > 0) return;
    for (const type of ["response.created", "response.in_progress"]) {
      this.#send(type, { response: this.#response("in_progress") });
    }
  }

  #send(type: string, members: Members): void {
    this.emit({ type, sequence_number: this.#events++, ...members });
  }

  #itemId(prefix: string): string {
    return `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;
  }

  #response(status: string, members: Members = {}): unknown {
    const { id, created, request } = this.head;
    return {
      id,
      object: "response",
      created_at: created,
      status,
      model: request.model,
      output: [...this.#output],
      error: null,
      incomplete_details: null,
      instructions: request.instructions ?? null,
      previous_response_id: request.previousId ?? null,
      parallel_tool_calls: request.hasParallelCalls,
      store: request.isStored,
      temperature: null,
      top_p: null,
      ...request.echoed,
      ...members,
    };
  }
}

const reasons: Readonly<Partial<Record<FinishReason, string>>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

const texts = {
  message: {
    prefix: "msg",
    event: "response.output_text",
    more: { logprobs: [] },
    item: (id: string, status: string, content: readonly Members[]): Members => ({
      type: "message",
      id,
      role: "assistant",
      status,
      content,
    }),
    part: (text: string): Members => ({ type: "output_text", text, annotations: [], logprobs: [] }),
  },
  reasoning: {
    prefix: "rs",
    event: "response.reasoning_text",
    more: {},
    item: (id: string, status: string, content: readonly Members[]): Members => ({
      type: "reasoning",
      id,
      summary: [],
      status,
      content,
    }),
    part: (text: string): Members => ({ type: "reasoning_text", text }),
  },
} as const;

/** Unreported details are 0, since clients expect a number. */
function usageOf(usage: Usage): Members {
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.total_tokens,
  };
}
