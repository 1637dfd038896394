import { stripVTControlCharacters } from "node:util";
import { Child, type ChildOptions } from "./child.js";
import { shellWords } from "./conductor-command.js";
import { until } from "./until.js";

/** A command in a terminal of its own, made by `script` of util-linux, with what it shows and what the user types. */
export class PseudoTerminal implements AsyncDisposable {
  #child: Child;
  #raw = "";

  constructor({ words, env, cwd }: ChildOptions) {
    const typed = ["script", "--quiet", "--return", "--command", shellWords(words), "/dev/null"];
    this.#child = new Child({ words: typed, env: { ...env, TERM: "xterm" }, cwd });
    this.#child.process.stdout.on("data", (chunk: Buffer) => (this.#raw += chunk.toString()));
  }

  /** Everything on the screen so far, without control sequences. */
  get text(): string {
    return stripVTControlCharacters(this.#raw).replaceAll("\r", "");
  }

  /** Types a line, and waits until the screen after it matches `answer`. Returns what was shown in the meantime. */
  type(line: string, answer: RegExp): Promise<string> {
    return this.press(`${line}\r`, answer);
  }

  /** Types keys, and waits as {@link type} does. */
  async press(keys: string, answer: RegExp): Promise<string> {
    const before = this.text.length;
    this.#child.process.stdin.write(keys);
    const shown = (): string => this.text.slice(before);
    return until(shown, (text) => answer.test(text));
  }

  /** Waits until the screen matches. */
  async shows(pattern: RegExp): Promise<void> {
    await until(
      () => this.text,
      (text) => pattern.test(text),
    );
  }

  /** Types a last line and returns how the command ended. */
  async leave(line: string): Promise<string> {
    this.#child.process.stdin.write(`${line}\r`);
    return this.#child.exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child[Symbol.asyncDispose]();
  }
}
