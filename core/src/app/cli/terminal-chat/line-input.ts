import {
  clearScreenDown,
  createInterface,
  cursorTo,
  emitKeypressEvents,
  type Interface,
  type Key,
  moveCursor,
} from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Style } from "../style.js";
import type { Sink } from "./transcript.js";

export type TextInput = Readable & { readonly isTTY?: boolean };

interface LineInputOptions {
  readonly input: TextInput;
  readonly screen: Sink;
  readonly onInterrupt: () => void;
  /** Called at the end of input, before an open question resolves with undefined. */
  readonly onEnd: () => void;
}

interface Waiting {
  readonly isQuestion: boolean;
  deliver(line: string | undefined): void;
}

/** Bracketed paste: the terminal marks the start and end of a paste. https://invisible-island.net/xterm/ctlseqs, mode 2004. */
const bracketedPaste = { on: "\u001B[?2004h", off: "\u001B[?2004l" } as const;

/**
 * Reads the user's lines, starting with the first read. Lines typed early wait for the next prompt and never answer a question that
 * appeared later.
 */
export class LineInput implements Disposable {
  readonly #queue: string[] = [];
  /** Earlier lines of the current prompt that end with a backslash. */
  #continued: string[] = [];
  /** Lines of a paste whose last line hasn't been entered yet. */
  #pasted: string[] = [];
  #isPasting = false;
  readonly #onKey = (_text: string | undefined, { name }: Key): void => {
    if (name === "paste-start" || name === "paste-end") this.#isPasting = name === "paste-start";
  };
  #interface: Interface | undefined;
  #prompt: PromptLine | undefined;
  #waiting: Waiting | undefined;
  #isEnded = false;

  constructor(private readonly options: LineInputOptions) {}

  /** Returns the next line, queued lines first. Undefined at the end of input. */
  next(prompt: string): Promise<string | undefined> {
    const line = this.#queue.shift();
    if (line === undefined) return this.#read(prompt, false);
    if (this.#prompt) this.options.screen.line(`${prompt}${line}`);
    return Promise.resolve(line);
  }

  /** Returns the line typed in answer to `prompt`. Undefined at the end of input, or if `signal` aborts. */
  async ask(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted === true) return undefined;
    // Without a terminal, answers can't be distinguished from lines sent earlier.
    const early = this.options.input.isTTY === true ? undefined : this.#queue.shift();
    if (early !== undefined) return early;
    const giveUp = (): void => {
      this.#prompt?.abandon();
      this.#deliver(undefined);
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    const pasted = this.#pasted;
    this.#pasted = [];
    const typed = this.#setTypedAside();
    try {
      return await this.#read(prompt, true);
    } finally {
      signal?.removeEventListener("abort", giveUp);
      this.#setTypedAside();
      this.#pasted = pasted;
      if (!this.#isEnded && typed !== "") this.#interface?.write(typed);
    }
  }

  /** Returns the next prompt: one line, or several lines that were pasted or continued with backslashes. Undefined at the end of input. */
  async prompt(style: Style): Promise<string | undefined> {
    for (;;) {
      const line = await this.next(style.bold(this.#continued.length === 0 ? "you> " : "...> "));
      if (line === undefined && !this.#isEnded) continue;
      if (line?.endsWith("\\") === true) {
        this.#continued.push(line.slice(0, -1));
        continue;
      }
      const lines = [...this.#continued.splice(0), ...(line === undefined ? [] : [line])];
      return lines.length === 0 ? undefined : lines.join("\n");
    }
  }

  /** Clears the current prompt. Returns false if it was already empty. */
  clear(): boolean {
    const isEmpty = this.#continued.length === 0 && this.#pasted.length === 0 && !this.#interface?.line;
    if (isEmpty) return false;
    this.#continued = [];
    this.#pasted = [];
    this.#prompt?.abandon();
    this.#setTypedAside();
    this.#deliver(undefined);
    return true;
  }

  forget(): number {
    return this.#queue.splice(0).length;
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#prompt?.abandon();
    this.#interface?.close();
    this.#prompt?.detach();
    this.options.input.off("keypress", this.#onKey);
    this.#deliver(undefined);
  }

  #read(prompt: string, isQuestion: boolean): Promise<string | undefined> {
    const lines = this.#open();
    if (this.#isEnded) return Promise.resolve(undefined);
    const answer = new Promise<string | undefined>((resolve) => {
      this.#waiting = { isQuestion, deliver: resolve };
    });
    if (this.#prompt) this.#prompt.show(prompt, this.#pasted);
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
    if (prompt) {
      prompt.attach(lines);
      emitKeypressEvents(input);
      // Register this listener before readline's, because readline reports pasted lines as if the user had entered them.
      input.prependListener("keypress", this.#onKey);
    }
    this.#prompt = prompt;
    lines.on("line", (line) => this.#take(line));
    lines.on("SIGINT", onInterrupt);
    lines.on("history", (history) => {
      if (this.#waiting?.isQuestion === true || this.#isPasting) history.shift();
    });
    lines.on("close", () => {
      const wasEnded = this.#isEnded;
      this.#isEnded = true;
      this.#prompt?.abandon();
      if (!wasEnded) this.options.onEnd();
      this.#deliver(undefined);
    });
    return lines;
  }

  #take(line: string): void {
    this.#pasted.push(line);
    if (this.#isPasting) return;
    const text = this.#pasted.join("\n");
    this.#pasted = [];
    if (this.#waiting === undefined) this.#queue.push(text);
    else this.#deliver(text);
  }

  #deliver(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#prompt?.hide();
    waiting?.deliver(line);
  }

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
 * Terminal output for readline. Shows the typed line only while a prompt is open, so that typing doesn't mix with answers; other output to
 * the sink appears above it.
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

  attach(lines: Interface): void {
    this.#interface = lines;
    this.sink.stream.write(bracketedPaste.on);
  }

  /** Opens the prompt; `above` lists earlier lines of the same prompt. */
  show(prompt: string, above: readonly string[]): void {
    this.sink.finishLine();
    for (const line of above) this.sink.stream.write(`${line}\n`);
    this.#isOpen = true;
    this.#interface?.setPrompt(prompt);
    this.#interface?.prompt(true);
  }

  hide(): void {
    this.#isOpen = false;
  }

  abandon(): void {
    if (this.#isOpen) this.sink.stream.write("\n");
    this.#isOpen = false;
  }

  detach(): void {
    this.hide();
    this.sink.stream.write(bracketedPaste.off);
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
    // Readline redraws the prompt upwards from its last row, so make room for all rows.
    stream.write("\n".repeat(rows));
    lines.prompt(true);
  }
}
