import { closeSync, fdatasync, ftruncateSync, openSync, write, writeSync } from "node:fs";
import { promisify } from "node:util";
import { SpacedRuns } from "../../../base/spaced-runs.js";
import { maskedLines } from "../masked-lines.js";
import { soundEnd } from "./stored-lines.js";

const writeLater = promisify(write);

/** Functions that append bytes to a file, one synchronous and one asynchronous. Both return the number of bytes written. */
export interface DiskWriter {
  now(descriptor: number, bytes: Uint8Array): number;
  later(descriptor: number, bytes: Uint8Array): Promise<number>;
  /** Flushes written data to the disk, so that it survives a machine crash. */
  sync(descriptor: number): Promise<void>;
}

interface AppendedFileOptions {
  readonly mask: (text: string) => string;
  /** Replacements for the system's functions; by default, the system's functions are used. */
  readonly disk?: Partial<DiskWriter> | undefined;
}

/** Milliseconds after which a write indicates a slow disk, such as a network drive; the next write is asynchronous. */
const slowMs = 50;

/** Minimum pause between two flushes to the disk, in milliseconds, so that many short turns share a flush. */
const flushPauseMs = 250;

/** Maximum characters of a write that uses the shared buffer. */
const longestKept = 4 * 1024 * 1024;
/** Maximum UTF-8 bytes per UTF-16 unit. */
const bytesOfCharacter = 3;

const encoder = new TextEncoder();

const systemDisk: DiskWriter = {
  now: (descriptor, bytes) => writeSync(descriptor, bytes),
  later: async (descriptor, bytes) => (await writeLater(descriptor, bytes)).bytesWritten,
  sync: promisify(fdatasync),
};

/** Append-only file of lines. Data survives this process after {@link append}, and a machine crash after {@link toDisk}. */
export class AppendedFile {
  readonly #descriptor: number;
  readonly #mask: (text: string) => string;
  readonly #disk: DiskWriter;
  /** Buffer shared by all writes. V8 frees buffers late, so separate buffers or a stream would occupy many megabytes. */
  #block = new Uint8Array(0);
  /** Byte offset after the last complete line. */
  #end = 0;
  #isSlow = false;
  #writing: Promise<unknown> = Promise.resolve();
  readonly #flushes = new SpacedRuns(() => this.#flush(), flushPauseMs);

  constructor(path: string, { mask, disk }: AppendedFileOptions) {
    this.#descriptor = openSync(path, "a", 0o600);
    this.#mask = mask;
    this.#disk = { ...systemDisk, ...disk };
  }

  /** Whether the last write was slow; use {@link appendLater} next. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  empty(): void {
    this.#end = 0;
    this.cut();
  }

  /** Removes an incomplete last line and continues after the last complete one. `path` is the path of this file. */
  mend(path: string): void {
    const { length, lacksNewline } = soundEnd(path);
    this.#end = length;
    this.cut();
    if (lacksNewline) this.append("\n");
  }

  /** Removes the remains of a failed write. */
  cut(): void {
    ftruncateSync(this.#descriptor, this.#end);
  }

  /** Writes masked lines before it returns. Masks nothing if `searched`, the text to search for secrets, contains no secret. */
  append(lines: string, searched = lines): void {
    const bytes = this.#bytesOf(maskedLines(lines, this.#mask, searched));
    const start = performance.now();
    for (let from = 0; from < bytes.length;) from += this.#disk.now(this.#descriptor, bytes.subarray(from));
    this.#taken(bytes, start);
  }

  /** Writes lines asynchronously; the caller must not write anything else meanwhile. */
  appendLater(lines: string, searched = lines): Promise<void> {
    const writing = this.#appendLater(lines, searched);
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  async #appendLater(lines: string, searched: string): Promise<void> {
    const bytes = this.#bytesOf(maskedLines(lines, this.#mask, searched));
    const start = performance.now();
    for (let from = 0; from < bytes.length;) from += await this.#disk.later(this.#descriptor, bytes.subarray(from));
    this.#taken(bytes, start);
  }

  /** Starts flushing written data to the disk, or does so after the pause that follows the last flush. */
  toDisk(): void {
    this.#flushes.request();
  }

  async #flush(): Promise<void> {
    await this.#writing;
    // Ignore the failure, since the next write will fail too and report it.
    await this.#disk.sync(this.#descriptor).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#flushes.settled();
    closeSync(this.#descriptor);
  }

  /** Encodes `text` as UTF-8; valid until the next write. */
  #bytesOf(text: string): Uint8Array {
    if (text.length > longestKept) return Buffer.from(text);
    const most = text.length * bytesOfCharacter;
    if (this.#block.length < most) this.#block = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(most)));
    return this.#block.subarray(0, encoder.encodeInto(text, this.#block).written);
  }

  #taken(bytes: Uint8Array, start: number): void {
    this.#end += bytes.length;
    this.#isSlow = performance.now() - start > slowMs;
  }
}
