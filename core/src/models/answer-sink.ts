/** A call of one of the client's tools. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Takes the pieces of one answer in their order. */
export interface AnswerSink {
  content(text: string): void;
  /** Thoughts, and what the agent does meanwhile. */
  reasoning(text: string): void;
  /** An image in base64; where it is missing, the answer says in words that there is one. */
  image?(mimeType: string, data: string): void;
  toolCall(call: CalledTool): void;
}

/** An answer as the client's history will have it. */
export interface GivenAnswer {
  readonly text: string;
  readonly callIds: readonly string[];
  /** Whether the client may have kept less of it, or nothing: it was given up or failed. */
  readonly isPartial: boolean;
}

/** Passes an answer on in whole characters, and remembers what the client's history will have of it. */
export class RecordedAnswer implements AnswerSink {
  readonly #callIds: string[] = [];
  readonly #content: WholeCharacters;
  readonly #reasoning: WholeCharacters;
  #text = "";

  constructor(private readonly sink: AnswerSink) {
    this.#content = new WholeCharacters((text) => {
      this.#text += text;
      sink.content(text);
    });
    this.#reasoning = new WholeCharacters((text) => sink.reasoning(text));
  }

  /** The words so far, without thoughts. */
  get text(): string {
    return this.#text;
  }

  content(text: string): void {
    this.#reasoning.flush();
    this.#content.push(text);
  }

  reasoning(text: string): void {
    this.#content.flush();
    this.#reasoning.push(text);
  }

  image(mimeType: string, data: string): void {
    if (!this.sink.image) return this.content("[image]");
    this.flush();
    this.sink.image(mimeType, data);
  }

  toolCall(call: CalledTool): void {
    this.flush();
    this.#callIds.push(call.id);
    this.sink.toolCall(call);
  }

  /** Nothing follows that could complete what was passed on. */
  flush(): void {
    this.#content.flush();
    this.#reasoning.flush();
  }

  /** What was passed on so far. */
  given(isPartial: boolean): GivenAnswer {
    return { text: this.#text, callIds: this.#callIds, isPartial };
  }
}

/** Passes texts on; half of a character at the end of one waits for its other half. */
class WholeCharacters {
  #half = "";

  constructor(private readonly pass: (text: string) => void) {}

  push(text: string): void {
    const joined = this.#half + text;
    const last = joined.charCodeAt(joined.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    this.#half = isCut ? joined.slice(-1) : "";
    const whole = isCut ? joined.slice(0, -1) : joined;
    if (whole !== "") this.pass(wellFormed(whole));
  }

  flush(): void {
    const half = this.#half;
    this.#half = "";
    if (half !== "") this.pass(wellFormed(half));
  }
}

/** The text without halves of characters, which no UTF-8 can say; clients cut texts in the middle of one. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
