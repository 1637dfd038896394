import type { Writable } from "node:stream";
import { type Environment, Style } from "../style.js";
import { SafeTextStream, safeText } from "./safe-text.js";

/** Where a {@link Transcript} writes. */
interface TranscriptOptions {
  readonly output: TextOutput;
  readonly errors: TextOutput;
  readonly env: Environment;
}

/**
 * What the user sees of a conversation. The answer's text goes to the output; everything else goes there too when
 * it is a terminal, and to the error output when a program reads it.
 */
export class Transcript {
  /** Where everything but the answer goes. */
  readonly notes: Sink;
  readonly #answers: Sink;
  readonly #errors: Sink;
  readonly #answerText = new SafeTextStream();
  readonly #thoughtText = new SafeTextStream();
  #open: "answer" | "thought" | undefined;
  #messageId: string | undefined;

  constructor({ output, errors, env }: TranscriptOptions) {
    this.#answers = new Sink(output, env);
    this.#errors = new Sink(errors, env);
    this.notes = this.#answers.isTerminal ? this.#answers : this.#errors;
  }

  /** Style of {@link notes}. */
  get style(): Style {
    return this.notes.style;
  }

  /** A piece of the answer. A new message, by its id, begins on a new line. */
  answer(text: string, messageId?: string): void {
    const isNew = messageId !== undefined && this.#messageId !== undefined && messageId !== this.#messageId;
    if (this.#open !== "answer" || isNew) this.#break();
    this.#open = "answer";
    this.#messageId = messageId;
    this.#answers.write(this.#answerText.push(text));
  }

  /** A piece of what the agent thinks. */
  thought(text: string): void {
    if (this.#open !== "thought") {
      this.#break();
      this.notes.write("thought: ", (label) => this.style.dim(label));
    }
    this.#open = "thought";
    this.notes.write(this.#thoughtText.push(text), (plain) => this.style.dim(plain));
  }

  /** Lines that are safe and painted already; the next piece of the answer begins on a new line. */
  lines(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#break();
    for (const line of lines) this.notes.line(line);
  }

  /** A remark beside the conversation: one dim line. */
  remark(line: string): void {
    this.#flush();
    this.notes.line(this.style.dim(safeText(line)));
  }

  /** For the error output, whoever reads the output. */
  warn(text: string): void {
    this.#flush();
    if (this.#answers.isTerminal) this.#answers.finishLine();
    this.notes.aside(() => this.#errors.line(safeText(text)));
  }

  /** Finishes all lines. */
  endTurn(): void {
    this.#break();
    this.notes.finishLine();
    this.#messageId = undefined;
  }

  /** Finishes all lines, and drops what comes later. */
  close(): void {
    this.endTurn();
    this.#answers.close();
    this.#errors.close();
  }

  #break(): void {
    this.#flush();
    if (this.#open === "thought") this.notes.finishLine();
    if (this.#open !== undefined) this.#answers.finishLine();
    this.#open = undefined;
  }

  #flush(): void {
    this.#answers.write(this.#answerText.end());
    this.notes.write(this.#thoughtText.end(), (plain) => this.style.dim(plain));
  }
}

/** A stream that people read, perhaps on a terminal. */
export type TextOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** One output stream that knows whether its last line is finished. */
export class Sink {
  readonly style: Style;
  /** Stands around every write; whoever shows a prompt on the stream takes it away and puts it back. */
  around: ((write: () => void) => void) | undefined;
  #isAtLineStart = true;
  #isClosed = false;

  constructor(
    readonly stream: TextOutput,
    env: Environment,
  ) {
    this.style = Style.of(stream, env);
  }

  get isTerminal(): boolean {
    return this.stream.isTTY === true;
  }

  /** `text` is safe already; `paint` colours it without counting as text. */
  write(text: string, paint: (text: string) => string = (plain) => plain): void {
    if (text === "") return;
    this.#send(paint(text), text.endsWith("\n"));
  }

  /** One whole line, on a line of its own. */
  line(text: string): void {
    this.finishLine();
    this.#send(`${text}\n`, true);
  }

  finishLine(): void {
    if (!this.#isAtLineStart) this.#send("\n", true);
  }

  /** Drops what is still written: the conversation is over. */
  close(): void {
    this.#isClosed = true;
  }

  /** Runs `write`, which may write to the same terminal by another stream, with the prompt out of the way. */
  aside(write: () => void): void {
    if (this.around === undefined) write();
    else this.around(write);
  }

  #send(text: string, endsLine: boolean): void {
    if (this.#isClosed) return;
    this.aside(() => {
      this.stream.write(text);
      this.#isAtLineStart = endsLine;
    });
  }
}
