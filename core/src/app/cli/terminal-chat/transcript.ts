import { Writable } from "node:stream";
import { type Environment, Style } from "../style.js";
import { wrapped, WrappedText } from "../wrapped-text.js";
import { SafeTextStream, safeText } from "./safe-text.js";

interface TranscriptOptions {
  readonly output: TextOutput;
  readonly errors: TextOutput;
  readonly env: Environment;
  /** Whether to show only warnings. */
  readonly isMuted?: boolean;
}

/**
 * Visible part of a conversation. The answer goes to the output; other text goes there as well if the output is a terminal, otherwise to
 * the error output.
 */
export class Transcript {
  readonly notes: Sink;
  readonly #answers: Sink;
  readonly #errors: Sink;
  readonly #answerText = new SafeTextStream();
  readonly #thoughtText = new SafeTextStream();
  #drawnAnswer: DrawnText | undefined;
  readonly #drawnThought: WrappedText | undefined;
  #open: "answer" | "thought" | undefined;
  #messageId: string | undefined;

  constructor({ output, errors, env, isMuted = false }: TranscriptOptions) {
    this.#answers = new Sink(isMuted ? new Writable({ write: (_chunk, _encoding, done) => done() }) : output, env);
    this.#errors = new Sink(errors, env);
    this.notes = this.#answers.isTerminal || isMuted ? this.#answers : this.#errors;
    if (this.#answers.isTerminal) this.#drawnAnswer = new WrappedText(this.columns);
    if (this.notes.isTerminal) this.#drawnThought = new WrappedText(this.columns);
  }

  get style(): Style {
    return this.notes.style;
  }

  /** Whether answers are colored, so that {@link drawAnswersWith} can render their Markdown. */
  get drawsColours(): boolean {
    return this.#answers.isTerminal && this.#answers.style.isColoured;
  }

  /** Renders answers with `drawn`. Must be called before the first answer. */
  drawAnswersWith(drawn: DrawnText): void {
    this.#drawnAnswer = drawn;
  }

  readonly columns = (): number => this.notes.columns;

  /** Writes a piece of the answer. A new message id starts a new line. */
  answer(text: string, messageId?: string): void {
    const isNew = messageId !== undefined && this.#messageId !== undefined && messageId !== this.#messageId;
    if (this.#open !== "answer" || isNew) this.#break();
    this.#open = "answer";
    this.#messageId = messageId;
    this.#writeAnswer(this.#answerText.push(text));
  }

  thought(text: string): void {
    if (this.#open !== "thought") {
      this.#break();
      this.notes.write(thoughtLabel, (label) => this.style.dim(label));
      this.#drawnThought?.indent(thoughtLabel.length);
    }
    this.#open = "thought";
    this.#writeThought(this.#thoughtText.push(text));
  }

  /** Writes lines that are already safe and colored. The next piece of the answer starts a new line. */
  lines(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#break();
    for (const line of lines) this.notes.line(line);
  }

  remark(line: string): void {
    this.notes.line(this.style.dim(safeText(line)));
  }

  warn(text: string): void {
    if (this.#answers.isTerminal) this.#answers.finishLine();
    this.notes.aside(() => this.#errors.line(safeText(text)));
  }

  endTurn(): void {
    this.#break();
    this.notes.finishLine();
    this.#messageId = undefined;
  }

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

interface DrawnText {
  push(piece: string): string;
  /** Returns the remaining text without a final line break. The next piece starts a new text. */
  end(): string;
}

export type TextOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Output stream that tracks whether its last line is complete. */
export class Sink {
  readonly style: Style;
  /** Function that wraps every write. An open prompt uses it to disappear during the write. */
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

  /** `text` must already be safe; `paint` adds only color. */
  write(text: string, paint: (text: string) => string = (plain) => plain): void {
    if (text === "") return;
    this.#send(paint(text), text.endsWith("\n"));
  }

  line(text: string): void {
    this.finishLine();
    const lines = this.isTerminal ? text.split("\n").map((line) => wrapped(line, this.columns)) : [text];
    this.#send(`${lines.join("\n")}\n`, true);
  }

  finishLine(): void {
    if (!this.#isAtLineStart) this.#send("\n", true);
  }

  close(): void {
    this.#isClosed = true;
  }

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
