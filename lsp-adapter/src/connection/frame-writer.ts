import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { AbstractMessageWriter, type Message, SocketMessageReader } from "vscode-languageserver-protocol/node";

/** Maximum bytes to buffer for a reader that has stopped reading. */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * Writes each message together with its header, so that the receiver is woken only once. Preserves the order of messages. Reports a
 * receiver that is gone or has stopped reading instead of waiting.
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
    if (this.#isBroken) return Promise.reject(new Error("The other side no longer accepts messages."));
    if (this.stream.writableLength > maxWaitingBytes) {
      const error = new Error("The other side isn't reading its messages.");
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

/** Creates a message reader for a socket without the library's timer for incomplete messages, which would outlive the socket. */
export function socketReader(socket: Socket): SocketMessageReader {
  const reader = new SocketMessageReader(socket);
  reader.partialMessageTimeout = 0;
  return reader;
}
