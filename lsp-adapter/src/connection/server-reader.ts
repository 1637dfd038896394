import type { Readable } from "node:stream";
import { parsedValue } from "@symposium-dev/core";
import {
  AbstractMessageReader,
  type DataCallback,
  type Disposable,
  type Message,
} from "vscode-languageserver-protocol/node";

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

/** What a {@link FrameSplitter} finds. */
interface FrameHandlers {
  /** One message, as JSON that has been read. */
  message(value: object): void;
  /** Bytes that belong to no message, such as a line that a program printed among them. */
  stray(length: number): void;
}

const marker = Buffer.from("content-length:");
/** No header block is longer. */
const maxHeaderLength = 1024;
const endOfHeaders = Buffer.from("\r\n\r\n");

/** A message found by its headers: where its body begins and how long it is. */
interface Header {
  readonly bodyStart: number;
  readonly bodyLength: number;
}

/**
 * Cuts a stream into LSP messages. Unlike a reader that trusts every byte, it survives text in between and bodies that are
 * no JSON: it goes on at the next header. Bodies above `maxBodyLength` bytes are dropped, and count as stray.
 */
export class FrameSplitter {
  #chunks: Buffer[] = [];
  #length = 0;
  /** With fewer bytes there is nothing to find. */
  #needed = 0;
  /** Bytes of a body that is too long, still to be dropped. */
  #skip = 0;

  constructor(
    private readonly handlers: FrameHandlers,
    private readonly maxBodyLength = 128 * 1024 * 1024,
  ) {}

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#length);
    for (let used = this.#take(rest); used > 0; used = this.#take(rest)) rest = rest.subarray(used);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
  }

  /** How many bytes of `bytes` are dealt with; 0 when more have to come first. */
  #take(bytes: Buffer): number {
    this.#needed = 0;
    if (bytes.length === 0) return 0;
    if (this.#skip > 0) return this.#drop(bytes);
    const start = indexOfMarker(bytes);
    if (start > 0) return this.#stray(start);
    if (start < 0) return this.#stray(Math.max(0, bytes.length - marker.length + 1));
    const header = readHeader(bytes);
    if (header === "incomplete") return 0;
    if (header === "broken") return this.#stray(marker.length);
    if (header.bodyLength > this.maxBodyLength) {
      this.#skip = header.bodyLength;
      return header.bodyStart;
    }
    return this.#takeBody(bytes, header);
  }

  #takeBody(bytes: Buffer, { bodyStart, bodyLength }: Header): number {
    // A body that cannot be one is not waited for.
    if (bytes.length > bodyStart && bytes[bodyStart] !== 0x7b) return this.#stray(bodyStart);
    const end = bodyStart + bodyLength;
    if (bytes.length < end) {
      this.#needed = end;
      return 0;
    }
    const value = readObject(bytes.toString("utf8", bodyStart, end));
    // Something was printed into the body, and the next header may stand in what would be its end.
    if (!value) return this.#stray(bodyStart);
    this.handlers.message(value);
    return end;
  }

  #drop(bytes: Buffer): number {
    const length = Math.min(this.#skip, bytes.length);
    this.#skip -= length;
    return this.#stray(length);
  }

  #stray(length: number): number {
    if (length > 0) this.handlers.stray(length);
    return length;
  }
}

/** Where the next `Content-Length:` begins, in any case; -1 for nowhere. */
function indexOfMarker(bytes: Buffer): number {
  const usual = bytes.indexOf("Content-Length:");
  if (usual === 0) return 0;
  const text = bytes.toString("latin1", 0, usual < 0 ? bytes.length : usual + marker.length);
  return text.toLowerCase().indexOf(marker.toString());
}

function readHeader(bytes: Buffer): Header | "incomplete" | "broken" {
  const window = bytes.subarray(0, maxHeaderLength);
  const end = window.indexOf(endOfHeaders);
  const text = window.toString("latin1", 0, end < 0 ? window.length : end);
  const lines = text.split("\r\n");
  const [first = "", ...others] = lines;
  const isWhole = end >= 0 || lines.length > 1;
  if (isWhole && !/^content-length:[ \t]*\d{1,12}[ \t]*$/i.test(first)) return "broken";
  if (end < 0) return window.length === maxHeaderLength || /\n(?!\n)/.test(first) ? "broken" : "incomplete";
  if (others.some((line) => !/^[A-Za-z-]+:/.test(line))) return "broken";
  return { bodyStart: end + endOfHeaders.length, bodyLength: Number(first.slice(marker.length).trim()) };
}

function readObject(text: string): object | undefined {
  const value = parsedValue(text);
  return typeof value === "object" && value !== null ? value : undefined;
}
