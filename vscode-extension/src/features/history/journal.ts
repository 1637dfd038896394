import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { atomicWrite } from "@symposium-dev/core/node";
import type { Change, Transcript } from "../../../protocol/index.js";
import { changesText, type JournalContent, parseJournal, snapshotText } from "./journal-format.js";

/** What is appended before the journal is written anew, at least; in characters. */
const compactAfter = 1_000_000;

/**
 * The file that one transcript is kept in: a snapshot, then what changed since. Writes follow each other, and those
 * that come meanwhile leave together. A crash costs at most the last line.
 */
export class Journal {
  #waiting = "";
  #appended = 0;
  #snapshotLength = 0;
  #isNew = true;
  #writing: Promise<void> | undefined;

  constructor(
    private readonly file: string,
    private readonly failed: (reason: string) => void,
  ) {}

  /** What the file holds; undefined where it is missing or cannot be understood. */
  static async read(file: string): Promise<JournalContent | undefined> {
    try {
      return parseJournal(await readFile(file, "utf8"));
    } catch {
      return undefined;
    }
  }

  /** Keeps changes that have been applied to `transcript`. */
  append(transcript: Transcript, changes: readonly Change[], index: number): void {
    const text = changesText(changes, index);
    this.#appended += text.length;
    if (this.#isNew || this.#appended > Math.max(compactAfter, 2 * this.#snapshotLength))
      this.rewrite(transcript, index);
    else {
      this.#waiting += text;
      this.#write();
    }
  }

  /** Writes the file anew, with nothing but a snapshot. */
  rewrite(transcript: Transcript, index: number): void {
    const text = snapshotText(transcript, index);
    this.#isNew = false;
    this.#appended = 0;
    this.#snapshotLength = text.length;
    // What waits is part of the snapshot.
    this.#waiting = "";
    this.#queue(() => atomicWrite(this.file, text));
  }

  /** Resolves when everything so far is written, or has failed to be. */
  async flushed(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  #write(): void {
    if (!this.#writing) this.#queue(() => this.#appendWaiting());
  }

  async #appendWaiting(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = "";
    if (text === "") return;
    await mkdir(dirname(this.file), { recursive: true });
    await appendFile(this.file, text, { mode: 0o600 });
  }

  #queue(write: () => Promise<void>): void {
    const writing: Promise<void> = (this.#writing ?? Promise.resolve())
      .then(write)
      .catch((thrown: unknown) => this.failed(thrown instanceof Error ? thrown.message : String(thrown)))
      .then(() => {
        if (this.#writing !== writing) return;
        this.#writing = undefined;
        if (this.#waiting !== "") this.#write();
      });
    this.#writing = writing;
  }
}
