import type { AnswerSink, CalledTool } from "../answer-sink.js";

/** Forwards an answer up to a number of UTF-16 units without splitting a character. */
export class LimitedSink implements AnswerSink {
  readonly #reached = new AbortController();

  constructor(
    private readonly sink: AnswerSink,
    private left: number,
  ) {}

  get reached(): AbortSignal {
    return this.#reached.signal;
  }

  content(text: string): void {
    if (this.reached.aborted) return;
    const passed = text.length > this.left ? text.slice(0, this.left).replace(/[\ud800-\udbff]$/, "") : text;
    this.left -= text.length;
    if (passed !== "") this.sink.content(passed);
    if (this.left < 0) this.#reached.abort();
  }

  reasoning(text: string): void {
    if (!this.reached.aborted) this.sink.reasoning(text);
  }

  toolCall(call: CalledTool): void {
    if (!this.reached.aborted) this.sink.toolCall(call);
  }
}
