import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Sink, Style } from "./transcript.js";

/** A stream that people type into, perhaps on a terminal. */
export type TextInput = Readable & { readonly isTTY?: boolean };

interface LineInputOptions {
  readonly input: TextInput;
  /** Where prompts and typing show. */
  readonly screen: Sink;
  /** Ctrl-C, where the terminal gives it to us as a key. */
  readonly onInterrupt: () => void;
}

interface Waiting {
  readonly isQuestion: boolean;
  deliver(line: string | undefined): void;
}

/**
 * Lines of the user. What is typed while nobody reads waits for the next prompt, and never answers a question that
 * came after it. Takes the input up with the first read.
 */
export class LineInput implements Disposable {
  readonly #queue: string[] = [];
  #interface: Interface | undefined;
  #prompt: PromptLine | undefined;
  #waiting: Waiting | undefined;
  #isEnded = false;

  constructor(private readonly options: LineInputOptions) {}

  /** The next line, from those that wait first; undefined at the end of input. */
  next(prompt: string): Promise<string | undefined> {
    const line = this.#queue.shift();
    if (line === undefined) return this.#read(prompt, false);
    if (this.#prompt) this.options.screen.line(`${prompt}${line}`);
    return Promise.resolve(line);
  }

  /** A line typed in answer to `prompt`; undefined at the end of input, or when `signal` takes the question back. */
  async ask(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted === true) return undefined;
    // Without a terminal nobody can tell an answer from a line that was sent before.
    const early = this.options.input.isTTY === true ? undefined : this.#queue.shift();
    if (early !== undefined) return early;
    const giveUp = (): void => {
      this.#prompt?.abandon();
      this.#deliver(undefined);
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    const typed = this.#setTypedAside();
    try {
      return await this.#read(prompt, true);
    } finally {
      signal?.removeEventListener("abort", giveUp);
      this.#setTypedAside();
      if (!this.#isEnded && typed !== "") this.#interface?.write(typed);
    }
  }

  /** Forgets the lines that wait; the value says how many there were. */
  forget(): number {
    return this.#queue.splice(0).length;
  }

  /** Gives the terminal back. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#prompt?.abandon();
    this.#interface?.close();
    this.#prompt?.detach();
    this.#deliver(undefined);
  }

  #read(prompt: string, isQuestion: boolean): Promise<string | undefined> {
    const lines = this.#open();
    if (this.#isEnded) return Promise.resolve(undefined);
    const answer = new Promise<string | undefined>((resolve) => {
      this.#waiting = { isQuestion, deliver: resolve };
    });
    if (this.#prompt) this.#prompt.show(prompt);
    else if (this.options.input.isTTY === true) this.options.screen.write(prompt);
    lines.resume();
    return answer;
  }

  #open(): Interface {
    this.#interface ??= this.#start();
    return this.#interface;
  }

  #start(): Interface {
    const { input, screen, onInterrupt } = this.options;
    const isTerminal = input.isTTY === true && screen.isTerminal;
    const prompt = isTerminal ? new PromptLine(screen) : undefined;
    const lines = createInterface({ input, ...(prompt && { output: prompt }), terminal: isTerminal, historySize: 500 });
    prompt?.attach(lines);
    this.#prompt = prompt;
    lines.on("line", (line) => this.#take(line));
    lines.on("SIGINT", onInterrupt);
    lines.on("history", (history) => {
      if (this.#waiting?.isQuestion === true) history.shift();
    });
    lines.on("close", () => {
      this.#isEnded = true;
      this.#prompt?.abandon();
      this.#deliver(undefined);
    });
    return lines;
  }

  #take(line: string): void {
    if (this.#waiting === undefined) this.#queue.push(line);
    else this.#deliver(line);
  }

  #deliver(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#prompt?.hide();
    waiting?.deliver(line);
  }

  /** Empties the line being typed; the value is what stood there. */
  #setTypedAside(): string {
    const lines = this.#interface;
    if (lines === undefined || this.#prompt === undefined || this.#isEnded) return "";
    const typed = lines.line;
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
    return typed;
  }
}

/**
 * What readline takes for its terminal. The line being typed shows only while a prompt is open, so that nobody's
 * typing mixes with an answer; what is written to the sink meanwhile goes above it.
 */
class PromptLine extends Writable {
  readonly isTTY = true;
  #interface: Interface | undefined;
  #isOpen = false;
  readonly #onResize = (): void => void this.emit("resize");

  constructor(private readonly sink: Sink) {
    super({ decodeStrings: false });
    sink.around = (write) => this.#writeAbove(write);
    sink.stream.on("resize", this.#onResize);
  }

  get columns(): number {
    return this.sink.stream.columns ?? 80;
  }

  /** The interface whose line this is. */
  attach(lines: Interface): void {
    this.#interface = lines;
  }

  show(prompt: string): void {
    this.sink.finishLine();
    this.#isOpen = true;
    this.#interface?.setPrompt(prompt);
    this.#interface?.prompt(true);
  }

  /** The line was entered: from here on typing does not show. */
  hide(): void {
    this.#isOpen = false;
  }

  /** Leaves a line that was not entered behind. */
  abandon(): void {
    if (this.#isOpen) this.sink.stream.write("\n");
    this.#isOpen = false;
  }

  detach(): void {
    this.hide();
    this.sink.around = undefined;
    this.sink.stream.off("resize", this.#onResize);
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    if (this.#isOpen) this.sink.stream.write(String(chunk));
    done();
  }

  #writeAbove(write: () => void): void {
    const lines = this.#interface;
    if (!this.#isOpen || lines === undefined) {
      write();
      return;
    }
    const { rows } = lines.getCursorPos();
    const { stream } = this.sink;
    moveCursor(stream, 0, -rows);
    cursorTo(stream, 0);
    clearScreenDown(stream);
    write();
    this.#isOpen = false;
    this.sink.finishLine();
    this.#isOpen = true;
    // readline redraws from where it believes its first row to be.
    stream.write("\n".repeat(rows));
    lines.prompt(true);
  }
}

/** The next prompt: one line, or several whose ends are marked with a backslash; undefined at the end of input. */
export async function readPrompt(input: LineInput, style: Style): Promise<string | undefined> {
  const lines: string[] = [];
  for (;;) {
    const line = await input.next(style.bold(lines.length === 0 ? "you> " : "...> "));
    if (line === undefined) return lines.length === 0 ? undefined : lines.join("\n");
    if (!line.endsWith("\\")) return [...lines, line].join("\n");
    lines.push(line.slice(0, -1));
  }
}
