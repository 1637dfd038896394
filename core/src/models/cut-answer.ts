import type { AnswerSink, CalledTool } from "./answer-sink.js";

/** Forwards an answer up to the first of `sequences`. Delays text that may begin a sequence. */
export class CutAnswer implements AnswerSink {
  /** Resolves at the first sequence; later text is dropped. */
  readonly cut: Promise<"cut">;
  #resolveCut: (value: "cut") => void = () => undefined;
  #isCut = false;
  #held = "";

  constructor(
    private readonly sink: AnswerSink,
    private readonly sequences: readonly string[],
  ) {
    this.cut = new Promise((resolve) => (this.#resolveCut = resolve));
  }

  content(text: string): void {
    if (this.#isCut) return;
    const said = this.#held + text;
    const places = this.sequences.map((sequence) => said.indexOf(sequence)).filter((place) => place !== -1);
    this.#isCut = places.length > 0;
    const end = this.#isCut ? Math.min(...places) : said.length - this.#begun(said);
    this.#held = this.#isCut ? "" : said.slice(end);
    if (end > 0) this.sink.content(said.slice(0, end));
    if (this.#isCut) this.#resolveCut("cut");
  }

  reasoning(text: string): void {
    if (!this.#isCut) this.sink.reasoning(text);
  }

  toolCall(call: CalledTool): void {
    if (this.#isCut) return;
    this.flush();
    this.sink.toolCall(call);
  }

  flush(): void {
    const held = this.#held;
    this.#held = "";
    if (held !== "") this.sink.content(held);
  }

  /** Returns the number of characters at the end of `said` that may begin a sequence. */
  #begun(said: string): number {
    const longest = Math.max(...this.sequences.map(({ length }) => length)) - 1;
    for (let length = Math.min(longest, said.length); length > 0; length--) {
      const tail = said.slice(-length);
      if (this.sequences.some((sequence) => sequence.startsWith(tail))) return length;
    }
    return 0;
  }
}
