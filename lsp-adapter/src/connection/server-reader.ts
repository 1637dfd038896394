import type { Readable } from "node:stream";
import {
  AbstractMessageReader,
  type DataCallback,
  type Disposable,
  type Message,
} from "vscode-languageserver-protocol/node";
import { FrameSplitter } from "./frame-splitter.js";

interface ServerReaderOptions {
  /** Bytes without a message in between after which `onGarbage` is called, once; default 16 MiB. */
  readonly maxStrayBytes?: number;
  /** One more message has come. */
  readonly onMessage: () => void;
  /** Stray bytes, to be logged. */
  readonly onStray: (length: number) => void;
  /** The other side does not speak the protocol. */
  readonly onGarbage: (length: number) => void;
}

/** The messages of a language server's stdout, whatever else is printed there. */
export class ServerReader extends AbstractMessageReader {
  #stray = 0;

  constructor(
    private readonly stream: Readable,
    private readonly options: ServerReaderOptions,
  ) {
    super();
  }

  listen(callback: DataCallback): Disposable {
    const { maxStrayBytes = 16 * 1024 * 1024, onMessage, onStray, onGarbage } = this.options;
    const splitter = new FrameSplitter({
      message: (value) => {
        this.#stray = 0;
        onMessage();
        callback(value as Message);
      },
      stray: (length) => {
        const before = this.#stray;
        this.#stray += length;
        onStray(length);
        if (before <= maxStrayBytes && this.#stray > maxStrayBytes) onGarbage(this.#stray);
      },
    });
    const receive = (chunk: Buffer): void => splitter.push(chunk);
    const close = (): void => this.fireClose();
    const fail = (error: Error): void => this.fireError(error);
    this.stream.on("data", receive).once("close", close).on("error", fail);
    return { dispose: () => this.stream.off("data", receive).off("close", close).off("error", fail) };
  }
}
