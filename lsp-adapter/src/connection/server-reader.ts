import type { Readable } from "node:stream";
import { parsedValue } from "@symposium-dev/core";
import {
  AbstractMessageReader,
  type DataCallback,
  type Disposable,
  type Message,
} from "vscode-languageserver-protocol/node";

interface ServerReaderOptions {
  /** Maximum bytes without a message, after which `onGarbage` is called once; default 16 MiB. */
  readonly maxStrayBytes?: number;
  readonly onMessage: () => void;
  /** Called for bytes that don't belong to a message, with their number, for the log. */
  readonly onStray: (length: number) => void;
  /** Called if the server doesn't use the protocol. */
  readonly onGarbage: (length: number) => void;
}

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

interface FrameHandlers {
  message(value: object): void;
  /** Receives the number of bytes outside messages, such as a printed line. */
  stray(length: number): void;
}

const marker = Buffer.from("content-length:");
/** Maximum length of a header block. */
const maxHeaderLength = 1024;
const endOfHeaders = Buffer.from("\r\n\r\n");

interface Header {
  readonly bodyStart: number;
  readonly bodyLength: number;
}

/**
 * Splits a stream into LSP messages. Skips printed text and invalid JSON, and continues at the next header. Drops bodies above
 * `maxBodyLength` bytes as stray.
 */
export class FrameSplitter {
  #chunks: Buffer[] = [];
  #length = 0;
  /** Minimum number of bytes before parsing continues. */
  #needed = 0;
  /** Number of bytes of an oversized body that still have to be dropped. */
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

  /** Returns the number of processed bytes; 0 if more are needed. */
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
    // If the body isn't JSON, don't wait for the rest of it.
    if (bytes.length > bodyStart && bytes[bodyStart] !== 0x7b) return this.#stray(bodyStart);
    const end = bodyStart + bodyLength;
    if (bytes.length < end) {
      this.#needed = end;
      return 0;
    }
    const value = readObject(bytes.toString("utf8", bodyStart, end));
    // Other text was printed into the body, so the end of the body may already contain the next header.
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

/** Returns the index of the next `Content-Length:` in any case; -1 if none. */
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
