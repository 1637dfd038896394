import { open, rm, truncate, type FileHandle } from "node:fs/promises";
import { messageOf } from "../../base/symposium-error.js";
import type { FileLock } from "../../node/file-lock.js";
import { maskedLines } from "../masked-lines.js";
import { type SessionEntry, SessionLines } from "../session-lines.js";
import type { SessionLog, SessionOpening } from "../session-log.js";
import type { SessionSummary } from "../stored-record.js";
import { gitBranch, touchedFiles } from "./file-facts.js";
import { soundEnd } from "./stored-lines.js";

/** A session's file that nobody else writes while its lock is held. */
export interface ClaimedFile {
  readonly path: string;
  readonly lock: FileLock;
  /** What it says already; undefined for a file that is not there yet. */
  readonly before?: SessionSummary;
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
}

/** What waits at most that long. */
const flushMs = 200;
/** Characters that are not left waiting for it. */
const batchLength = 64 * 1024;
/** Characters that may wait for a slow disk; what comes then is left out. */
const longestQueue = 64 * 1024 * 1024;

/**
 * One session's file: entries wait in memory for a moment, those of one moment are written together, and nothing that is
 * sent to the editor waits for that.
 */
export class SessionFile implements SessionLog {
  readonly #options: SessionFileOptions;
  readonly #opening: SessionOpening;
  #entries: SessionEntry[] = [];
  /** What came while the agent repeated what was said before. */
  #history: SessionEntry[] | undefined;
  #length = 0;
  /** A session in which nothing was said leaves no file. */
  #mayWrite = false;
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
    if (opening.hasHistory) this.#claimed = options.claim(opening).catch((fault: unknown) => this.#stop(fault));
  }

  replays(): void {
    this.#history = [];
  }

  replayed(isKept: boolean): void {
    const history = this.#history ?? [];
    this.#history = undefined;
    if (!isKept || history.length === 0) return;
    // Before what came since, which waits behind it.
    this.#writing = this.#writing.then(async () => {
      const claimed = await this.#claimed;
      if (!claimed || claimed.before) return;
      this.#entries = [...history, ...this.#entries];
      this.#mayWrite = true;
    });
    this.#flushSoon(0);
  }

  update(params: string): void {
    this.#push({ kind: "update", at: Date.now(), params }, params.length);
  }

  prompt(blocks: string): void {
    this.#mayWrite = true;
    this.#push({ kind: "prompt", at: Date.now(), blocks }, blocks.length);
  }

  permission(params: string, answer: string): void {
    this.#push({ kind: "permission", at: Date.now(), params, answer }, params.length);
  }

  end(answer: string, agent: string): void {
    this.#push({ kind: "end", at: Date.now(), answer, agent }, answer.length);
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
    this.#writing = this.#writing.then(() => this.#flush()).then(() => (this.#isClosed ? this.#release() : undefined));
    return this.#writing;
  }

  /** The file is deleted, and nothing more is written. */
  async remove(): Promise<void> {
    this.#isClosed = true;
    this.#entries = [];
    await this.#writing;
    const claimed = await this.#claimed;
    await this.#handle?.close();
    this.#handle = undefined;
    if (claimed) await rm(claimed.path, { force: true });
    await this.#release();
  }

  #push(entry: SessionEntry, length: number): void {
    if (this.#isClosed || this.#length > longestQueue) return;
    if (this.#history) {
      this.#history.push(entry);
      return;
    }
    this.#entries.push(entry);
    this.#length += length;
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
    if (!this.#mayWrite) return;
    while (this.#entries.length > 0) {
      const turnEnd = this.#entries.findIndex(({ kind }) => kind === "end");
      const batch = this.#entries.splice(0, turnEnd === -1 ? this.#entries.length : turnEnd + 1);
      this.#length = this.#entries.reduce((sum, entry) => sum + ("params" in entry ? entry.params.length : 0), 0);
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
    this.#claimed ??= this.#options.claim(this.#opening);
    const claimed = await this.#claimed.catch((fault: unknown) => {
      this.#claimed = undefined;
      throw fault;
    });
    if (!claimed) return undefined;
    this.#path = claimed.path;
    const lines = new SessionLines(claimed.before);
    this.#handle ??= await open(claimed.path, "a", 0o600);
    if (claimed.before) {
      const { length, lacksNewline } = soundEnd(claimed.path);
      await truncate(claimed.path, length);
      this.#end = length;
      if (lacksNewline) await this.#append("\n");
    } else {
      const { id, cwd, client } = this.#opening;
      const branch = await gitBranch(cwd);
      const header = { version: 1, session: id, cwd, ...(client !== undefined && { client }) } as const;
      const started = Date.now();
      await this.#append(lines.header({ ...header, ...(branch !== undefined && { branch }), started }));
    }
    this.#lines = lines;
    return lines;
  }

  #stop(fault: unknown): undefined {
    this.#isStopped = true;
    this.#options.onFault(messageOf(fault));
  }

  async #release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch((fault: unknown) => this.#stop(fault));
    const claimed = await this.#claimed?.catch(() => undefined);
    this.#claimed = Promise.resolve(undefined);
    await claimed?.lock[Symbol.asyncDispose]();
  }
}

function writeAll(handle: FileHandle, text: string): Promise<void> {
  return handle.appendFile(text);
}
