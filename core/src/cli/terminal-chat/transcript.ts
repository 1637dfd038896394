import { SafeTextStream, safeText } from "./safe-text.js";
import { Sink, type TextOutput } from "./sink.js";
import type { Environment, Style } from "./style.js";

/** Where a {@link Transcript} writes. */
export interface TranscriptOptions {
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
