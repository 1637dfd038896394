import { performance } from "node:perf_hooks";
import { Child, type ChildOptions } from "../support/child.js";

const answerLimitMs = 120_000;

/** A client that times when the first line of a kind comes; it looks at text, and parses nothing. */
export class LineClient implements AsyncDisposable {
  readonly #child: Child;
  #receive: (text: string) => void = () => undefined;
  #fail: (reason: Error) => void = () => undefined;
  #nextId = 1;

  constructor(options: ChildOptions) {
    this.#child = new Child(options);
    this.#child.process.stdout.setEncoding("utf8").on("data", (text: string) => this.#receive(text));
    void this.#child.exited.then((sentence) => this.#fail(new Error(`${sentence} ${this.#child.stderrTail}`.trim())));
  }

  /** Sends a request; resolves, once it is answered, with the milliseconds until `first` stood in what came. */
  ask(method: string, params: unknown, first: string): Promise<number> {
    const id = this.#nextId++;
    const line = `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
    return new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No answer to ${method}`)), answerLimitMs);
      this.#fail = reject;
      let text = "";
      let ms: number | undefined;
      const start = performance.now();
      this.#receive = (piece) => {
        text += piece;
        if (ms === undefined && text.includes(first)) ms = performance.now() - start;
        if (!text.endsWith("\n")) return;
        const last = text.trimEnd().split("\n").at(-1) ?? "";
        if (!last.includes(`"id":${id}`)) return;
        clearTimeout(timer);
        if (ms === undefined || last.includes('"error"'))
          reject(new Error(`${method} was answered by ${last.slice(0, 500)}`));
        else resolve(ms);
      };
      this.#child.process.stdin.write(line);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }
}
