import type { ServerResponse } from "node:http";
import type { CalledTool } from "../../model/called-tool.js";
import type { AnswerEnd } from "../../openai/chat-completion.js";
import type { ChatMessage } from "../../openai/chat-message.js";
import type { OpenAiFailure } from "../../openai/openai-failure.js";
import { type ResponseHead, ResponseOutput } from "../../openai/response-output.js";
import { type AnswerWriter, writeJson } from "./answer-writer.js";
import { eventOf, type EventStream } from "./event-stream.js";

/** Writes a response: as events into `stream` as they come, or whole at its end where there is none. */
export class ResponseWriter implements AnswerWriter {
  readonly #output: ResponseOutput;

  constructor(
    private readonly response: ServerResponse,
    head: ResponseHead,
    private readonly stream: EventStream | undefined,
  ) {
    this.#output = new ResponseOutput(head, (event) => stream?.send(eventOf(event, event.type)));
  }

  /** The answer so far, as the message that a conversation goes on from. */
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

  fail(failure: OpenAiFailure): void {
    if (this.stream?.hasBegun !== true) return writeJson(this.response, failure.status, failure.body);
    this.#output.fail(failure);
    this.stream.end("");
  }
}
