import type { ServerResponse } from "node:http";
import { EventStream, usualReaderLimits } from "../../../../base/node/event-stream-writer.js";

/** Messages of one event stream; keeps them while the client has no such stream open. */
export class Outbox {
  #waiting: string[] = [];
  #characters = 0;
  #stream: EventStream | undefined;

  /** `onRead` is called when the client has read everything. */
  constructor(private readonly onRead: () => void) {}

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  /** Number of characters or bytes that the client hasn't read. */
  get unread(): number {
    return this.#characters + (this.#stream?.unreadBytes ?? 0);
  }

  /** Queues JSON text without line breaks. */
  send(line: string): void {
    const event = `data: ${line}\n\n`;
    if (this.#stream) {
      this.#stream.send(event);
      return;
    }
    this.#waiting.push(event);
    this.#characters += event.length;
  }

  open(response: ServerResponse, onClose: () => void): void {
    const stream = new EventStream(response, usualReaderLimits, () => undefined);
    this.#stream = stream;
    response.on("drain", this.onRead).once("close", () => {
      if (this.#stream === stream) this.#stream = undefined;
      onClose();
      this.onRead();
    });
    stream.send([": open\n\n", ...this.#waiting].join(""));
    this.#waiting = [];
    this.#characters = 0;
  }

  end(): void {
    this.#stream?.end("");
    this.#stream = undefined;
  }
}
