import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { parsedValue, messageOf } from "@symposium-dev/core";
import { atomicWrite } from "@symposium-dev/core/node";
import {
  applyChange,
  type Change,
  changeSchema,
  type Item,
  itemSchema,
  newTranscript,
  tabStateSchema,
  type Terminal,
  terminalSchema,
  type Transcript,
} from "../../../protocol/index.js";
import { TimeSlices } from "../../acp/time-slices.js";

/** Minimum number of appended characters before the journal is compacted. */
const compactAfter = 1_000_000;

/** File of one transcript: a snapshot followed by changes. Writes are sequential and batched; a crash loses at most the last line. */
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

  /** Reads a journal. Returns undefined if the file is missing or unreadable. */
  static async read(file: string): Promise<JournalContent | undefined> {
    try {
      return await parseJournal(await readFile(file, "utf8"));
    } catch {
      return undefined;
    }
  }

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

  /** Writes the first snapshot, unless this instance already wrote one. */
  begin(transcript: Transcript, index: number): void {
    if (this.#isNew) this.rewrite(transcript, index);
  }

  rewrite(transcript: Transcript, index: number): void {
    const text = snapshotText(transcript, index);
    this.#isNew = false;
    this.#appended = 0;
    this.#snapshotLength = text.length;
    // The snapshot includes pending changes.
    this.#waiting = "";
    this.#queue(() => atomicWrite(this.file, text));
  }

  /** Resolves when all pending writes have finished or failed. */
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
      .catch((thrown: unknown) => this.failed(messageOf(thrown)))
      .then(() => {
        if (this.#writing !== writing) return;
        this.#writing = undefined;
        if (this.#waiting !== "") this.#write();
      });
    this.#writing = writing;
  }
}

/** Maximum characters of one command's output in a stored snapshot. */
const storedTailChars = 20_000;

const snapshotLine = z.object({
  version: z.literal(1),
  index: z.number(),
  state: z.unknown(),
  items: z.array(z.unknown()),
  terminals: z.array(z.unknown()),
});
const changesLine = z.object({ index: z.number(), changes: z.array(z.unknown()) });

/** Content of a journal: the transcript after change `index`. `isWhole` is false if complete lines couldn't be read. */
interface JournalContent {
  readonly transcript: Transcript;
  readonly index: number;
  readonly isWhole: boolean;
}

export function snapshotText({ state, items, terminals }: Transcript, index: number): string {
  const tails = [...terminals.values()].map(withShortTail);
  return `${JSON.stringify({ version: 1, index, state, items, terminals: tails })}\n`;
}

function changesText(changes: readonly Change[], index: number): string {
  return `${JSON.stringify({ index, changes })}\n`;
}

/**
 * Parses a journal while letting other tasks run. Skips damaged lines and unknown changes, shows unknown items as raw data, and returns
 * undefined if there is no snapshot.
 */
async function parseJournal(text: string): Promise<JournalContent | undefined> {
  const slices = new TimeSlices();
  const lines = text.split("\n");
  const first = snapshotLine.safeParse(parsedValue(lines[0] ?? ""));
  const state = first.success ? tabStateSchema.safeParse(first.data.state) : undefined;
  if (!first.success || state?.success !== true) return undefined;
  const transcript = newTranscript(state.data);
  for (const item of first.data.items) {
    applyChange(transcript, { op: "put", item: readItem(item) });
    if (slices.isOver) await slices.next();
  }
  for (const one of first.data.terminals) {
    const terminal = terminalSchema.safeParse(one);
    if (terminal.success) transcript.terminals.set(terminal.data.terminalId, terminal.data);
  }
  let { index } = first.data;
  let isWhole = true;
  for (const [at, line] of lines.entries()) {
    if (at === 0 || line === "") continue;
    if (slices.isOver) await slices.next();
    const parsed = changesLine.safeParse(parsedValue(line));
    if (!parsed.success) {
      // Text after the last line end is an incomplete write from a crash.
      isWhole &&= at === lines.length - 1;
      continue;
    }
    index = parsed.data.index;
    for (const change of parsed.data.changes) apply(transcript, change);
  }
  return { transcript, index, isWhole };
}

function apply(transcript: Transcript, value: unknown): void {
  const change = changeSchema.safeParse(value);
  if (change.success) {
    applyChange(transcript, change.data);
    return;
  }
  // An unknown item, as from a later version, is shown as raw data. Other unknown changes can't be applied.
  const put = z.object({ op: z.literal("put"), item: z.unknown() }).safeParse(value);
  if (put.success) applyChange(transcript, { op: "put", item: readItem(put.data.item) });
}

function readItem(value: unknown): Item {
  const item = itemSchema.safeParse(value);
  if (item.success) return item.data;
  const named = z.object({ id: z.string() }).safeParse(value);
  const id = named.success ? named.data.id : crypto.randomUUID();
  return { kind: "unknown", id, label: "stored item", json: JSON.stringify(value, null, 2) };
}

function withShortTail(terminal: Terminal): Terminal {
  const cut = terminal.text.length - storedTailChars;
  if (cut <= 0) return terminal;
  return { ...terminal, text: terminal.text.slice(cut), dropped: terminal.dropped + cut };
}
