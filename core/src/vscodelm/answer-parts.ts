import type { AnswerSink } from "../model/answer-sink.js";
import type { CalledTool } from "../model/called-tool.js";
import type { GivenAnswer } from "../model/session-history.js";
import { wellFormed } from "./well-formed.js";
import type { LmPart } from "./wire.js";

/** Passes an answer on in parts, and remembers what the editor's history will have of it. */
export class AnswerParts implements AnswerSink {
  readonly #callIds: string[] = [];
  readonly #content = new WholeCharacters((value) => {
    this.#text += value;
    this.tell({ type: "text", value });
  });
  readonly #reasoning = new WholeCharacters((value) => this.tell({ type: "thinking", value }));
  #text = "";

  constructor(private readonly tell: (part: LmPart) => void) {}

  content(text: string): void {
    this.#reasoning.flush();
    this.#content.push(text);
  }

  reasoning(text: string): void {
    this.#content.flush();
    this.#reasoning.push(text);
  }

  image(mimeType: string, data: string): void {
    this.flush();
    this.tell({ type: "data", mimeType, data });
  }

  toolCall({ id, name, args }: CalledTool): void {
    this.flush();
    this.#callIds.push(id);
    this.tell({ type: "tool_call", toolCallId: id, toolName: name, parameters: args });
  }

  /** Nothing follows that could complete what was told. */
  flush(): void {
    this.#content.flush();
    this.#reasoning.flush();
  }

  /** The agent's turn is over: an answer without words says why, since editors take it for a failure; one that was cut off does, too. */
  finish(stopReason: string): void {
    this.flush();
    if (this.#text.trim() === "") this.content(`The agent ended its turn without words: ${stopReason}.`);
    else if (stopReason !== "end_turn") this.content(`\n\n[The agent stopped here: ${stopReason}.]`);
  }

  /** What was given so far. */
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
    const isCut = /[\uD800-\uDBFF]$/.test(joined);
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
