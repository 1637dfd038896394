import { open, rm, truncate, type FileHandle } from "node:fs/promises";
import { messageOf } from "../../base/symposium-error.js";
import { maskedLines } from "../masked-lines.js";
import { type SessionEntry, SessionLines } from "../session-lines.js";
import type { SessionLog, SessionOpening } from "../session-log.js";
import type { SessionHeader, SessionSummary, StoredContinued } from "../stored-record.js";
import { gitBranch, touchedFiles } from "./file-facts.js";
import { soundEnd, windowsOf } from "./stored-lines.js";

/** A session's file that nobody else writes while its lock is held. */
export interface ClaimedFile {
  readonly path: string;
  readonly lock: AsyncDisposable;
  /** What it says already; undefined for a file that is not there yet. */
  readonly before?: SessionSummary;
  /** What a new one goes on with, and what that came to. */
  readonly continues?: { readonly conversation: string; readonly turn: number; readonly title: string };
  /** The file of which a new one is a copy, and what that comes to. */
  readonly source?: {
    readonly path: string;
    readonly summary: SessionSummary;
    readonly continues?: NonNullable<SessionHeader["continues"]>;
  };
}

interface SessionFileOptions {
  /** The file that the session goes on in, or a new one; undefined where nothing is to be kept. */
  claim(opening: SessionOpening): Promise<ClaimedFile | undefined>;
  /** Hides what nobody may read. */
  readonly mask: (text: string) => string;
  /** Writes at the end of the file, and resolves when all bytes are taken; the system's own unless told. */
  readonly write?: ((handle: FileHandle, text: string) => Promise<unknown>) | undefined;
  /** The disk did not take what it was given. */
  onFault(message: string): void;
  /** It was closed, everything is written, and the file is anybody's again. */
  onReleased?(): void;
}

/** What waits at most that long. */
const flushMs = 200;
/** Characters that are not left waiting for it. */
const batchLength = 64 * 1024;
/** Characters after which what is written at once ends. */
const longestBatch = 1024 * 1024;
/** Characters that may wait for a slow disk, or for an agent that repeats what was said; updates that come then are left out. */
const longestQueue = 64 * 1024 * 1024;

/**
 * One session's file: entries wait in memory for a moment, those of one moment are written together, and nothing that is
 * sent to the editor waits for that.
 */
export class SessionFile implements SessionLog {
  readonly #options: SessionFileOptions;
  readonly #opening: SessionOpening;
  #entries: SessionEntry[] = [];
  /** What the agent repeats of what was said before, where that is to be kept. */
  #history: SessionEntry[] | undefined;
  /** Entries at the beginning that came of it, until it is known whether the file has them. */
  #repeated = 0;
  /** Requests during which the agent repeats it. */
  #replays = 0;
  /** Of the entries and the history. */
  #length = 0;
  /** The file that goes on has what the agent repeats. */
  #isKnown = false;
  /** What the user does not want to be kept, or nobody needs any more, does not wait. */
  #isUnkept = false;
  /** A session in which nothing was said leaves no file. */
  #mayWrite = false;
  /** The user has said something here; it may be on its way to the disk. */
  #hasPrompt = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #claimed: Promise<ClaimedFile | undefined> | undefined;
  #lines: SessionLines | undefined;
  #handle: FileHandle | undefined;
  #path = "";
  /** Where the last line ends that was written whole. */
  #end = 0;
  /** The disk is full, or gone: until the next prompt nothing is written. */
  #isStopped = false;

  constructor(opening: SessionOpening, options: SessionFileOptions) {
    this.#opening = opening;
    this.#options = options;
    // The lines that a file has decide what is done with the history that comes.
    if (opening.hasHistory) void this.#claim().catch((fault: unknown) => this.#stop(fault));
    // A copy is there from the beginning, with what is in it.
    if (opening.copyOf !== undefined) this.#writing = this.#copy().catch((fault: unknown) => this.#stop(fault));
  }

  /** Characters that wait for the disk. */
  get waiting(): number {
    return this.#length;
  }

  replays(): void {
    if (this.#replays++ > 0) return;
    // What was said here is kept already.
    if (this.#opening.hasHistory && !this.#mayWrite && !this.#isKnown) this.#history = [];
  }

  replayed(isKept: boolean): void {
    if (--this.#replays > 0) return;
    const history = this.#history ?? [];
    this.#history = undefined;
    if (!isKept) this.#length -= lengthOf(history);
    else if (history.length > 0) {
      // Before the prompts that came since.
      this.#entries = [...history, ...this.#entries];
      this.#repeated = history.length;
      this.#mayWrite = true;
    }
    this.#flushSoon(0);
  }

  update(params: string): void {
    this.#push({ kind: "update", at: Date.now(), params });
  }

  prompt(blocks: string): void {
    this.#hasPrompt = true;
    this.#mayWrite = true;
    this.#push({ kind: "prompt", at: Date.now(), blocks });
  }

  permission(params: string, answer: string): void {
    this.#push({ kind: "permission", at: Date.now(), params, answer });
  }

  /** From here on it goes on with another conversation, whose turns come before its own. */
  continues(continued: StoredContinued, title: string): void {
    this.#push({ kind: "continues", at: Date.now(), continued, title });
  }

  end(answer: string, agent: string): void {
    this.#push({ kind: "end", at: Date.now(), answer, agent });
    this.#flushSoon(0);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.flushed();
  }

  /** Resolves when everything is written that came until now, and, once closed, when the file is anybody's again. */
  flushed(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing
      .then(() => this.#flush())
      .then(() => (this.#isClosed ? this.#release() : undefined))
      .catch((fault: unknown) => this.#stop(fault));
    return this.#writing;
  }

  /** The file is deleted, and nothing more is written. */
  async remove(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
    await this.#writing;
    const claimed = await this.#claimed?.catch(() => undefined);
    await this.#handle?.close();
    this.#handle = undefined;
    try {
      if (claimed) await rm(claimed.path, { force: true });
    } finally {
      await this.#release();
    }
  }

  #push(entry: SessionEntry): void {
    if (this.#isClosed || this.#isUnkept) return;
    const isRepeated = this.#replays > 0 && entry.kind === "update";
    const queue = isRepeated ? this.#history : this.#entries;
    if (!queue) return;
    // What users say is never left out: nobody types that much.
    if (this.#length > longestQueue && entry.kind !== "prompt" && entry.kind !== "end") {
      if (queue.at(-1)?.kind !== "gap") queue.push({ kind: "gap", at: entry.at });
      return;
    }
    queue.push(entry);
    this.#length += lengthOf([entry]);
    if (!this.#mayWrite) return;
    if (this.#length > batchLength) this.#flushSoon(0);
    else this.#timer ??= this.#timerOf(flushMs);
  }

  #flushSoon(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#timerOf(ms);
  }

  #timerOf(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => void this.flushed(), ms);
    timer.unref();
    return timer;
  }

  /** Writes what waits, turn by turn: a turn's end needs its files. */
  async #flush(): Promise<void> {
    // What is repeated stands before the prompts that came meanwhile.
    if (!this.#mayWrite || (this.#history && !this.#isClosed)) return;
    if (this.#repeated > 0) await this.#claim().catch((fault: unknown) => this.#stop(fault));
    this.#repeated = 0;
    while (this.#entries.length > 0) {
      const batch = this.#entries.splice(0, batchEnd(this.#entries));
      this.#length -= lengthOf(batch);
      try {
        await this.#write(batch);
      } catch (fault) {
        this.#stop(fault);
      }
    }
  }

  async #write(batch: readonly SessionEntry[]): Promise<void> {
    const startsTurn = batch.some(({ kind }) => kind === "prompt");
    if (this.#isStopped && !startsTurn) return;
    const lines = await this.#opened();
    if (!lines || !this.#handle) return;
    let text = "";
    if (this.#isStopped) {
      await truncate(this.#path, this.#end);
      text = lines.of({ kind: "gap", at: Date.now() });
      this.#isStopped = false;
    }
    for (const entry of batch) {
      const files = entry.kind === "end" ? await touchedFiles(lines.touched, this.#opening.cwd) : [];
      text += lines.of(entry, files);
    }
    await this.#append(text);
  }

  async #append(lines: string): Promise<void> {
    if (!this.#handle) return;
    const { mask, write = writeAll } = this.#options;
    const text = maskedLines(lines, mask);
    await write(this.#handle, text);
    this.#end += Buffer.byteLength(text);
  }

  /** Opens the file, mends its last line where that was not finished, and begins it where it is new. */
  async #opened(): Promise<SessionLines | undefined> {
    if (this.#lines && this.#handle) return this.#lines;
    const claimed = await this.#claim();
    if (!claimed) return undefined;
    this.#path = claimed.path;
    const { continues } = claimed;
    const begun = { agent: this.#opening.agent, ...(continues && { turns: continues.turn, title: continues.title }) };
    const lines = new SessionLines(claimed.before ?? claimed.source?.summary ?? begun);
    this.#handle ??= await open(claimed.path, "a", 0o600);
    if (claimed.before) {
      const { length, lacksNewline } = soundEnd(claimed.path);
      await truncate(claimed.path, length);
      this.#end = length;
      if (lacksNewline) await this.#append("\n");
    } else {
      // What an attempt has left that failed.
      await truncate(claimed.path, 0);
      this.#end = 0;
      const { id, cwd, agent, client } = this.#opening;
      const branch = await gitBranch(cwd);
      const header = { version: 1, session: id, cwd, agent, ...(client !== undefined && { client }) } as const;
      const started = Date.now();
      const from = continues
        ? { conversation: continues.conversation, turn: continues.turn }
        : claimed.source?.continues;
      await this.#append(
        lines.header({ ...header, ...(branch !== undefined && { branch }), ...(from && { continues: from }), started }),
      );
      if (claimed.source) for (const copied of copiedLines(claimed.source.path)) await this.#append(copied);
    }
    this.#lines = lines;
    return lines;
  }

  async #copy(): Promise<void> {
    const claimed = await this.#claim();
    if (!claimed?.source) return;
    this.#mayWrite = true;
    await this.#opened();
  }

  /** What fails is tried again with the next prompt. */
  #claim(): Promise<ClaimedFile | undefined> {
    this.#claimed ??= this.#options.claim(this.#opening).then(
      (claimed) => {
        if (!claimed) this.#drop();
        if (claimed?.before) this.#forgetHistory();
        return claimed;
      },
      (fault: unknown) => {
        this.#claimed = undefined;
        throw fault;
      },
    );
    return this.#claimed;
  }

  /** The file has what the agent repeats. */
  #forgetHistory(): void {
    this.#isKnown = true;
    const known = [...(this.#history ?? []), ...this.#entries.splice(0, this.#repeated)];
    this.#length -= lengthOf(known);
    this.#history = undefined;
    this.#repeated = 0;
    this.#mayWrite = this.#hasPrompt;
  }

  /** Nothing waits from here on. */
  #drop(): void {
    this.#isUnkept = true;
    this.#entries = [];
    this.#history = undefined;
    this.#length = 0;
  }

  #stop(fault: unknown): undefined {
    this.#isStopped = true;
    this.#options.onFault(messageOf(fault));
  }

  async #release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#drop();
    await handle?.close().catch((fault: unknown) => this.#stop(fault));
    const claimed = await this.#claimed?.catch(() => undefined);
    this.#claimed = Promise.resolve(undefined);
    this.#options.onReleased?.();
    await claimed?.lock[Symbol.asyncDispose]();
  }
}

/** How many of `entries` are written at once: those of one turn at most, whose end needs its files. */
function batchEnd(entries: readonly SessionEntry[]): number {
  let length = 0;
  for (const [index, entry] of entries.entries()) {
    length += lengthOf([entry]);
    if (entry.kind === "end" || length >= longestBatch) return index + 1;
  }
  return entries.length;
}

/** In characters. */
function lengthOf(entries: readonly SessionEntry[]): number {
  let length = 0;
  for (const entry of entries) {
    if ("params" in entry) length += entry.params.length;
    if ("blocks" in entry) length += entry.blocks.length;
    if ("answer" in entry) length += entry.answer.length;
  }
  return length;
}

function writeAll(handle: FileHandle, text: string): Promise<void> {
  return handle.appendFile(text);
}

/** The lines of a session's file but its header, in pieces. */
function* copiedLines(path: string): Generator<string> {
  let isFirst = true;
  for (const window of windowsOf(path)) {
    yield isFirst ? window.slice(window.indexOf("\n") + 1) : window;
    isFirst = false;
  }
}
