import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

type Message = Readonly<Record<string, unknown>>;

const living = new Set<PartProcess>();

// A test that fails or times out before it owns its process leaves none behind either.
afterEach(async () => {
  for (const part of living) await part[Symbol.asyncDispose]();
});

/** A scripted part as a process, spoken to in raw lines. Disposing kills it, and resolves with it gone. */
export class PartProcess implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exit: Promise<unknown[]>;
  readonly lines: string[] = [];
  /** The lines so far that are JSON objects, parsed. */
  readonly messages: Message[] = [];
  stderr = "";
  /** Text after the last newline. */
  rest = "";
  #waiting: (() => void)[] = [];

  constructor(main: "agent-main" | "proxy-main", ...args: string[]) {
    const path = fileURLToPath(new URL(`../../testing/node/${main}.js`, import.meta.url));
    this.#child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "pipe"] });
    this.#exit = once(this.#child, "close");
    living.add(this);
    void this.#exit.then(() => living.delete(this));
    this.#child.stdin.on("error", () => undefined);
    this.#child.stdout.setEncoding("utf8").on("data", (chunk: string) => this.#take(chunk));
    this.#child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.stderr += chunk;
      this.#wake();
    });
  }

  #take(chunk: string): void {
    const parts = (this.rest + chunk).split("\n");
    this.rest = parts.pop() ?? "";
    this.lines.push(...parts);
    this.messages.push(...parts.filter((line) => line.startsWith("{")).map(parse));
    this.#wake();
  }

  send(message: Message): void {
    this.sendText(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Sends a line verbatim; returns false if the line waits because the pipe is full. */
  sendText(line: string): boolean {
    return this.#child.stdin.write(`${line}\n`);
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** Stops or starts taking what the part writes. */
  setReading(isReading: boolean): void {
    if (isReading) this.#child.stdout.resume();
    else this.#child.stdout.pause();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** The first message, past or future, that `isMatch` accepts. */
  async message(isMatch: (message: Message) => boolean): Promise<Message> {
    for (let index = 0; ; index++) {
      while (index >= this.messages.length) await this.#more();
      const message = this.messages[index];
      if (message !== undefined && isMatch(message)) return message;
    }
  }

  /** The answer to the request with that id. */
  answer(id: number | string): Promise<Message> {
    return this.message((message) => message["id"] === id && message["method"] === undefined);
  }

  /** Sends a request and resolves with its answer. */
  request(id: number | string, method: string, params: unknown): Promise<Message> {
    this.send({ id, method, params });
    return this.answer(id);
  }

  /** Resolves when stderr holds `text`. */
  async stderrHolds(text: string): Promise<void> {
    while (!this.stderr.includes(text)) await this.#more();
  }

  /** Exit code or signal, once all its output has been read. */
  async exited(): Promise<unknown> {
    const [code, signal] = await this.#exit;
    return code ?? signal;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #more(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      void this.#exit.then(() => reject(new Error(`the part exited; stderr: ${this.stderr}`)));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    this.#child.stdout.resume();
    await this.#exit;
  }
}

function parse(line: string): Message {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return { unreadable: line };
  }
}
