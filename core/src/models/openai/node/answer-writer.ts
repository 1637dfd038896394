import type { ServerResponse } from "node:http";
import type { AnswerSink, CalledTool } from "../../answer-sink.js";
import {
  type AnswerEnd,
  completion,
  completionChunk,
  type CompletionHead,
  type Delta,
  toolCallOf,
  usageChunk,
} from "../chat-completion.js";
import type { ChatMessage } from "../chat-message.js";
import type { ErrorResponse } from "../error-response.js";
import { type ResponseHead, ResponseOutput } from "../response-output.js";
import { eventOf, type EventStream } from "../../../base/node/event-stream-writer.js";

export interface AnswerWriter extends AnswerSink {
  end(end: AnswerEnd): void;
  fail(failure: ErrorResponse): void;
}

export class WholeAnswer implements AnswerWriter {
  readonly #calls: CalledTool[] = [];
  #content = "";
  #reasoning = "";

  constructor(
    private readonly response: ServerResponse,
    private readonly head: CompletionHead,
  ) {}

  content(text: string): void {
    this.#content += text;
  }

  reasoning(text: string): void {
    this.#reasoning += text;
  }

  toolCall(call: CalledTool): void {
    this.#calls.push(call);
  }

  end(end: AnswerEnd): void {
    const parts = { content: this.#content, reasoning: this.#reasoning, calls: this.#calls };
    writeJson(this.response, 200, completion(this.head, parts, end));
  }

  fail(failure: ErrorResponse): void {
    writeJson(this.response, failure.status, failure.body);
  }
}

/** Writes each piece as a server-sent event. */
export class StreamedAnswer implements AnswerWriter {
  #calls = 0;
  #hasSpoken = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly stream: EventStream,
    private readonly head: CompletionHead,
    private readonly includesUsage: boolean,
  ) {}

  content(text: string): void {
    this.#delta({ content: text });
  }

  reasoning(text: string): void {
    this.#delta({ reasoning_content: text });
  }

  toolCall(call: CalledTool): void {
    this.#delta({ tool_calls: [{ index: this.#calls++, ...toolCallOf(call) }] });
  }

  end({ finishReason, usage }: AnswerEnd): void {
    const last = [completionChunk(this.head, this.#begun({}), finishReason)];
    if (this.includesUsage) last.push(usageChunk(this.head, usage));
    this.stream.end(`${last.map((event) => eventOf(event)).join("")}data: [DONE]\n\n`);
  }

  fail(failure: ErrorResponse): void {
    if (this.stream.hasBegun) this.stream.end(eventOf(failure.body));
    else writeJson(this.response, failure.status, failure.body);
  }

  #delta(delta: Delta): void {
    this.stream.send(eventOf(completionChunk(this.head, this.#begun(delta))));
  }

  #begun(delta: Delta): Delta {
    if (this.#hasSpoken) return delta;
    this.#hasSpoken = true;
    return { role: "assistant", ...delta };
  }
}

/** Writes a response: as events into `stream`, or as one JSON body at the end if there is no `stream`. */
export class ResponseWriter implements AnswerWriter {
  readonly #output: ResponseOutput;

  constructor(
    private readonly response: ServerResponse,
    head: ResponseHead,
    private readonly stream: EventStream | undefined,
  ) {
    this.#output = new ResponseOutput(head, (event) => stream?.send(eventOf(event, event.type)));
  }

  /** The answer so far, as a message with which the conversation can continue. */
  get message(): ChatMessage {
    return this.#output.message;
  }

  content(text: string): void {
    this.#output.content(text);
  }

  reasoning(text: string): void {
    this.#output.reasoning(text);
  }

  toolCall(call: CalledTool): void {
    this.#output.toolCall(call);
  }

  end(end: AnswerEnd): void {
    const whole = this.#output.end(end);
    if (this.stream) this.stream.end("");
    else writeJson(this.response, 200, whole);
  }

  fail(failure: ErrorResponse): void {
    if (this.stream?.hasBegun !== true) return writeJson(this.response, failure.status, failure.body);
    this.#output.fail(failure);
    this.stream.end("");
  }
}

/** Writes a JSON body unless headers were sent or the client has left. */
export function writeJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
