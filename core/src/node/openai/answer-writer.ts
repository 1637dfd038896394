import type { ServerResponse } from "node:http";
import type { AnswerSink } from "../../openai/answer-sink.js";
import {
  type AnswerEnd,
  completion,
  completionChunk,
  type CompletionHead,
  type Delta,
  toolCallOf,
  usageChunk,
} from "../../openai/chat-completion.js";
import type { CalledTool } from "../../openai/client-tools.js";
import type { OpenAiFailure } from "../../openai/openai-failure.js";

/** Writes one answer into a response. */
export interface AnswerWriter extends AnswerSink {
  end(end: AnswerEnd): void;
  fail(failure: OpenAiFailure): void;
}

/** Writes the answer whole, at its end. */
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

  fail(failure: OpenAiFailure): void {
    writeJson(this.response, failure.status, failure.body);
  }
}

/** Writes the answer as server-sent events, each piece when it comes. The head goes out with the first piece. */
export class StreamedAnswer implements AnswerWriter {
  #calls = 0;
  #hasBegun = false;

  constructor(
    private readonly response: ServerResponse,
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
    this.response.end(`${last.map(eventOf).join("")}data: [DONE]\n\n`);
  }

  fail(failure: OpenAiFailure): void {
    if (!this.#hasBegun) {
      writeJson(this.response, failure.status, failure.body);
      return;
    }
    this.response.end(eventOf(failure.body));
  }

  #delta(delta: Delta): void {
    this.response.write(eventOf(completionChunk(this.head, this.#begun(delta))));
  }

  /** The first piece says whose answer it is, and takes the head of the response with it. */
  #begun(delta: Delta): Delta {
    if (this.#hasBegun) return delta;
    this.#hasBegun = true;
    this.response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    return { role: "assistant", ...delta };
  }
}

function eventOf(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Answers with a JSON body, unless the answer has begun or nobody waits for it. */
export function writeJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
