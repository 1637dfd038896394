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
      return await parseJournal(await readFile(file, "utf8"));
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

  /** Writes the file where this has not written it yet. */
  begin(transcript: Transcript, index: number): void {
    if (this.#isNew) this.rewrite(transcript, index);
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
      .catch((thrown: unknown) => this.failed(messageOf(thrown)))
      .then(() => {
        if (this.#writing !== writing) return;
        this.#writing = undefined;
        if (this.#waiting !== "") this.#write();
      });
    this.#writing = writing;
  }
}

/** Output of one command that is kept in a stored snapshot, in characters. */
const storedTailChars = 20_000;

const snapshotLine = z.object({
  version: z.literal(1),
  index: z.number(),
  state: z.unknown(),
  items: z.array(z.unknown()),
  terminals: z.array(z.unknown()),
});
const changesLine = z.object({ index: z.number(), changes: z.array(z.unknown()) });

/** What a journal says: a transcript after change `index`. `isWhole` is false where lines could not be read that were written whole. */
interface JournalContent {
  readonly transcript: Transcript;
  readonly index: number;
  readonly isWhole: boolean;
}

/** The first line of a journal: everything so far. */
export function snapshotText({ state, items, terminals }: Transcript, index: number): string {
  const tails = [...terminals.values()].map(withShortTail);
  return `${JSON.stringify({ version: 1, index, state, items, terminals: tails })}\n`;
}

/** One more line: changes that end with change `index`. */
function changesText(changes: readonly Change[], index: number): string {
  return `${JSON.stringify({ index, changes })}\n`;
}

/**
 * Reads a journal. Lines that are torn or damaged are left out, and so are changes that nobody understands; an item
 * that cannot be understood is shown as it is. Others have their turn amid a long one. Undefined where there is no snapshot to begin with.
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
      // What stands behind the last end of a line was being written in a crash.
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
  // An item of a later version of ours is worth showing; other steps mean nothing without their meaning.
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
