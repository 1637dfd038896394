import { closeSync, constants, ftruncateSync, openSync, writeSync } from "node:fs";

/** Append-only file. If the file is longer than the known size, for example after a crash, the extra bytes are overwritten. */
export class AppendOnlyFile {
  #size: number;

  constructor(
    private readonly file: string,
    size: number,
  ) {
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  /** Appends content. Throws the system's error; the size is then unchanged. */
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

  /** Records that the file was replaced by a file with `size` bytes. */
  replaced(size: number): void {
    this.#size = size;
  }
}
