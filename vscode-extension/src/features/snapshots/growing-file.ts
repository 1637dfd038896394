import { closeSync, constants, ftruncateSync, openSync, writeSync } from "node:fs";

/** A file of ours that only grows. What stands behind its known size, as after a crash, is written over. */
export class GrowingFile {
  #size: number;

  constructor(
    private readonly file: string,
    size: number,
  ) {
    this.#size = size;
  }

  /** Bytes that count. */
  get size(): number {
    return this.#size;
  }

  /** Throws the system's error, having added nothing that counts. */
  append(content: string | Uint8Array): void {
    const bytes = Buffer.from(content);
    const descriptor = openSync(this.file, constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600);
    try {
      ftruncateSync(descriptor, this.#size);
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, this.#size + at);
      this.#size += bytes.length;
    } finally {
      closeSync(descriptor);
    }
  }

  /** The file is another one now. */
  replaced(size: number): void {
    this.#size = size;
  }
}
