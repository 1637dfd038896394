import process from "node:process";
import type { ChannelHandlers } from "../../src/base/line-channel-contract.js";
import { LineSplitter } from "../../src/base/line-splitter.js";
import type { StartableChannel } from "../memory-channel.js";

const highWaterMark = 256 * 1024;
const writeSize = 64 * 1024;

/** This process's stdin and stdout as a channel. The lines of a tick leave in writes of about 64 Ki characters. */
export class StdioChannel implements StartableChannel {
  #queue = "";
  #isScheduled = false;
  #wasCongested = false;
  #isHalted = false;
  #isEndIgnored = false;
  readonly #congestionListeners: (() => void)[] = [];

  start(handlers: ChannelHandlers): void {
    const splitter = new LineSplitter(handlers);
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (chunk: string) => splitter.push(chunk));
    process.stdin.on("end", () => {
      splitter.end();
      if (!this.#isEndIgnored) handlers.end();
    });
    process.stdout.on("drain", () => this.#reportCongestion());
    // Nobody reads any more: what a program can do then is to leave.
    process.stdout.on("error", () => process.exit(0));
  }

  send(line: string): void {
    this.write(`${line}\n`);
  }

  /** Queues text without adding a newline. */
  write(text: string): void {
    this.#queue += text;
    if (this.#queue.length >= writeSize) this.#flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#flush();
      });
    }
    this.#reportCongestion();
  }

  get isCongested(): boolean {
    return this.#queue.length + process.stdout.writableLength > highWaterMark;
  }

  onCongestion(listener: () => void): void {
    this.#congestionListeners.push(listener);
  }

  pause(): void {
    process.stdin.pause();
  }

  resume(): void {
    if (!this.#isHalted) process.stdin.resume();
  }

  /** Pauses for good. */
  halt(): void {
    this.#isHalted = true;
    process.stdin.pause();
  }

  /** From now on the end of input is not delivered. */
  ignoreEnd(): void {
    this.#isEndIgnored = true;
  }

  /** Writes what is queued; `done` is called when the reader has taken it. */
  flush(done: () => void): void {
    const text = this.#queue;
    this.#queue = "";
    process.stdout.write(text, () => done());
  }

  #flush(): void {
    if (this.#queue === "") return;
    const text = this.#queue;
    this.#queue = "";
    process.stdout.write(text);
    this.#reportCongestion();
  }

  #reportCongestion(): void {
    const isCongested = this.isCongested;
    if (isCongested === this.#wasCongested) return;
    this.#wasCongested = isCongested;
    for (const listener of this.#congestionListeners) listener();
  }
}
