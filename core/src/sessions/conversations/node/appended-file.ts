import { closeSync, fdatasync, ftruncateSync, openSync, write, writeSync } from "node:fs";
import { promisify } from "node:util";
import { maskedLines } from "../masked-lines.js";
import { soundEnd } from "./stored-lines.js";

const writeLater = promisify(write);

/** Takes bytes at the end of a file, at once or when the disk has time; both say how many it has taken. */
export interface DiskWriter {
  now(descriptor: number, bytes: Uint8Array): number;
  later(descriptor: number, bytes: Uint8Array): Promise<number>;
  /** What was taken outlives the machine. */
  sync(descriptor: number): Promise<void>;
}

interface AppendedFileOptions {
  /** Hides what nobody may read. */
  readonly mask: (text: string) => string;
  /** The system's own unless told. */
  readonly disk?: Partial<DiskWriter> | undefined;
}

/** A write that took longer stands for a disk that does, such as one of another machine: the next one is not waited for. */
const slowMs = 50;

/** Characters of a write beyond which its bytes are made for it alone. */
const longestKept = 4 * 1024 * 1024;
/** Bytes of a character that JavaScript counts, at most. */
const bytesOfCharacter = 3;

const encoder = new TextEncoder();

const systemDisk: DiskWriter = {
  now: (descriptor, bytes) => writeSync(descriptor, bytes),
  later: async (descriptor, bytes) => (await writeLater(descriptor, bytes)).bytesWritten,
  sync: promisify(fdatasync),
};

/**
 * A file of lines that only grows. What {@link append} has returned from is the system's: it outlives this process, however
 * that ends; {@link toDisk} makes it outlive the machine.
 */
export class AppendedFile {
  readonly #descriptor: number;
  readonly #mask: (text: string) => string;
  readonly #disk: DiskWriter;
  /** What writes are made in, one after the other: V8 gives bytes back late, and a stream would leave many megabytes of them. */
  #block = new Uint8Array(0);
  /** Where the last line ends that was written whole. */
  #end = 0;
  #isSlow = false;
  #writing: Promise<unknown> = Promise.resolve();
  #syncing: Promise<void> = Promise.resolve();

  constructor(path: string, { mask, disk }: AppendedFileOptions) {
    this.#descriptor = openSync(path, "a", 0o600);
    this.#mask = mask;
    this.#disk = { ...systemDisk, ...disk };
  }

  /** The last write took long: {@link appendLater} is for the next one. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** Begins anew. */
  empty(): void {
    this.#end = 0;
    this.cut();
  }

  /** Goes on behind the last whole line of `path`, whose file this is. */
  mend(path: string): void {
    const { length, lacksNewline } = soundEnd(path);
    this.#end = length;
    this.cut();
    if (lacksNewline) this.append("\n");
  }

  /** Removes what a write has left that failed. */
  cut(): void {
    ftruncateSync(this.#descriptor, this.#end);
  }

  /** Returns when the system has the lines, as `mask` leaves them. */
  append(lines: string, mask = this.#mask): void {
    const bytes = this.#bytesOf(maskedLines(lines, mask));
    const start = performance.now();
    for (let from = 0; from < bytes.length;) from += this.#disk.now(this.#descriptor, bytes.subarray(from));
    this.#taken(bytes, start);
  }

  /** The same without waiting for it; nothing else may be written meanwhile. */
  appendLater(lines: string): Promise<void> {
    const writing = this.#appendLater(lines);
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  async #appendLater(lines: string): Promise<void> {
    const bytes = this.#bytesOf(maskedLines(lines, this.#mask));
    const start = performance.now();
    for (let from = 0; from < bytes.length;) from += await this.#disk.later(this.#descriptor, bytes.subarray(from));
    this.#taken(bytes, start);
  }

  /** Has the system write to the disk what it has been given, some time; rejects never. */
  toDisk(): void {
    const given = this.#writing;
    // What the disk refuses then, it refuses the next write, too.
    this.#syncing = this.#syncing
      .then(() => given)
      .then(() => this.#disk.sync(this.#descriptor))
      .catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#syncing;
    closeSync(this.#descriptor);
  }

  /** `text` as UTF-8, until the next write. */
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
