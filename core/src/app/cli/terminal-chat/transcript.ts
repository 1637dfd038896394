import type { Writable } from "node:stream";
import { type Environment, Style } from "../style.js";
import { wrapped, WrappedText } from "../wrapped-text.js";
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
  /** How text is drawn in a terminal; a program that reads it gets it as it comes. */
  #drawnAnswer: DrawnText | undefined;
  readonly #drawnThought: WrappedText | undefined;
  #open: "answer" | "thought" | undefined;
  #messageId: string | undefined;

  constructor({ output, errors, env }: TranscriptOptions) {
    this.#answers = new Sink(output, env);
    this.#errors = new Sink(errors, env);
    this.notes = this.#answers.isTerminal ? this.#answers : this.#errors;
    if (this.#answers.isTerminal) this.#drawnAnswer = new WrappedText(this.columns);
    if (this.notes.isTerminal) this.#drawnThought = new WrappedText(this.columns);
  }

  /** Style of {@link notes}. */
  get style(): Style {
    return this.notes.style;
  }

  /** Whether answers are drawn in colours: then {@link drawAnswersWith} can draw their Markdown. */
  get drawsColours(): boolean {
    return this.#answers.isTerminal && this.#answers.style.isColoured;
  }

  /** Draws answers with `drawn`. To be called before the first. */
  drawAnswersWith(drawn: DrawnText): void {
    this.#drawnAnswer = drawn;
  }

  /** How many columns {@link notes} has. */
  readonly columns = (): number => this.notes.columns;

  /** A piece of the answer. A new message, by its id, begins on a new line. */
  answer(text: string, messageId?: string): void {
    const isNew = messageId !== undefined && this.#messageId !== undefined && messageId !== this.#messageId;
    if (this.#open !== "answer" || isNew) this.#break();
    this.#open = "answer";
    this.#messageId = messageId;
    this.#writeAnswer(this.#answerText.push(text));
  }

  /** A piece of what the agent thinks. */
  thought(text: string): void {
    if (this.#open !== "thought") {
      this.#break();
      this.notes.write(thoughtLabel, (label) => this.style.dim(label));
      this.#drawnThought?.indent(thoughtLabel.length);
    }
    this.#open = "thought";
    this.#writeThought(this.#thoughtText.push(text));
  }

  /** Lines that are safe and painted already; the next piece of the answer begins on a new line. */
  lines(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#break();
    for (const line of lines) this.notes.line(line);
  }

  /** A remark beside the conversation: one dim line. */
  remark(line: string): void {
    this.notes.line(this.style.dim(safeText(line)));
  }

  /** For the error output, whoever reads the output. */
  warn(text: string): void {
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
    this.#writeAnswer(this.#answerText.end());
    this.#answers.write(this.#drawnAnswer?.end() ?? "");
    this.#writeThought(this.#thoughtText.end());
    this.notes.write(this.#drawnThought?.end() ?? "", (plain) => this.style.dim(plain));
  }

  #writeAnswer(text: string): void {
    this.#answers.write(this.#drawnAnswer?.push(text) ?? text);
  }

  #writeThought(text: string): void {
    this.notes.write(this.#drawnThought?.push(text) ?? text, (plain) => this.style.dim(plain));
  }
}

const thoughtLabel = "thought: ";

/** Draws text that comes in pieces. */
interface DrawnText {
  /** Returns what can be shown so far. */
  push(piece: string): string;
  /** The rest, without a line end; the next piece begins a new text. */
  end(): string;
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

  get columns(): number {
    return this.stream.columns ?? 80;
  }

  /** `text` is safe already; `paint` colours it without counting as text. */
  write(text: string, paint: (text: string) => string = (plain) => plain): void {
    if (text === "") return;
    this.#send(paint(text), text.endsWith("\n"));
  }

  /** One whole line, on a line of its own. */
  line(text: string): void {
    this.finishLine();
    const lines = this.isTerminal ? text.split("\n").map((line) => wrapped(line, this.columns)) : [text];
    this.#send(`${lines.join("\n")}\n`, true);
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
