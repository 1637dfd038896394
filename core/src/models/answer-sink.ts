export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Receives the pieces of one answer in order. */
export interface AnswerSink {
  content(text: string): void;
  /** Receives thoughts and the agent's other activity. */
  reasoning(text: string): void;
  /** Receives an image in base64; without this method, the answer mentions the image in words. */
  image?(mimeType: string, data: string): void;
  toolCall(call: CalledTool): void;
}

/** Answer as the client's history will contain it. */
export interface GivenAnswer {
  readonly text: string;
  readonly callIds: readonly string[];
  /** Whether the answer was cancelled or failed, so that the client may have stored less of it. */
  readonly isPartial: boolean;
}

/** Forwards an answer to a sink without splitting characters, and records it in the form that the client's history will contain. */
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

  /** Text so far, without thoughts. */
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

  /** Forwards a pending half surrogate pair, since no more text follows. */
  flush(): void {
    this.#content.flush();
    this.#reasoning.flush();
  }

  given(isPartial: boolean): GivenAnswer {
    return { text: this.#text, callIds: this.#callIds, isPartial };
  }
}

/** Forwards texts, but delays half a surrogate pair until its other half arrives. */
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

/** Replaces lone surrogates, which UTF-8 can't encode; clients may cut a text inside a pair. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
