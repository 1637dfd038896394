import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { AbstractMessageWriter, type Message, SocketMessageReader } from "vscode-languageserver-protocol/node";

/** Bytes that wait for a reader who does not read, above which nothing more is kept for it. */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * Writes each message with its header in one piece, which wakes the reader once. What was written first arrives first; a
 * reader that is gone or has stopped reading is reported, never waited for.
 */
export class FrameWriter extends AbstractMessageWriter {
  #isBroken = false;
  #errors = 0;

  constructor(private readonly stream: Writable) {
    super();
    stream.on("error", (error) => this.#fail(error));
    stream.on("close", () => this.fireClose());
  }

  write(message: Message): Promise<void> {
    if (this.#isBroken) return Promise.reject(new Error("The other side takes no more messages."));
    if (this.stream.writableLength > maxWaitingBytes) {
      const error = new Error("The other side does not read its messages.");
      this.#fail(error, message);
      return Promise.reject(error);
    }
    const body = JSON.stringify(message);
    this.stream.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return Promise.resolve();
  }

  end(): void {
    this.stream.end();
  }

  #fail(error: Error, message?: Message): void {
    this.#isBroken = true;
    this.fireError(error, message, ++this.#errors);
  }
}

/** Reads messages of a socket, without the library's timer for unfinished ones, which would outlive the socket for ever. */
export function socketReader(socket: Socket): SocketMessageReader {
  const reader = new SocketMessageReader(socket);
  reader.partialMessageTimeout = 0;
  return reader;
}
