import { rm } from "node:fs/promises";
import { setImmediate as others } from "node:timers/promises";
import { messageOf } from "../../../base/symposium-error.js";
import { batchEnd, lengthOf, totalLength } from "../session-entries.js";
import { LineBatch, type SessionEntry, SessionLines } from "../session-lines.js";
import type { SessionLog, SessionOpening } from "../session-log.js";
import type { SessionHeader, SessionSummary, StoredContinued } from "../stored-record.js";
import { AppendedFile, type DiskWriter } from "./appended-file.js";
import { copiedLines } from "./copied-session.js";
import { gitBranch, touchedFiles } from "./file-facts.js";

/** File of a session that this process has locked; no other process can write the file until the lock is released. */
export interface ClaimedFile {
  readonly path: string;
  readonly lock: AsyncDisposable;
  /** Called after the first write to a new file. */
  onBegun?(): void;
  /** Summary of an existing file; undefined for a new one. */
  readonly before?: SessionSummary;
  /** Conversation that a new file continues, with its last turn and title. */
  readonly continues?: { readonly conversation: string; readonly turn: number; readonly title: string };
  /** File to copy into a new one, up to a byte offset, with its summary. */
  readonly source?: {
    readonly path: string;
    readonly end?: number;
    readonly summary: SessionSummary;
    readonly continues?: NonNullable<SessionHeader["continues"]>;
  };
}

interface SessionFileOptions {
  /** Returns the session's existing file or a new one; undefined if conversations aren't stored. */
  claim(opening: SessionOpening): Promise<ClaimedFile | undefined>;
  readonly mask: (text: string) => string;
  /** Replacements for the system's functions; by default, the system's functions are used. */
  readonly disk?: Partial<DiskWriter> | undefined;
  onFault(message: string): void;
  /** Called after closing, once all is written and the lock is released. */
  onReleased?(): void;
}

/** Maximum characters to buffer for a slow disk or a replaying agent; further updates are dropped. */
const longestQueue = 64 * 1024 * 1024;

/**
 * File of one session. Writes the entries of an event loop turn at its end, or earlier before output to the editor ({@link writeNow}), so
 * that a killed process has stored all that the editor received. Doesn't wait for a slow disk.
 */
export class SessionFile implements SessionLog {
  readonly #options: SessionFileOptions;
  readonly #opening: SessionOpening;
  #entries: SessionEntry[] = [];
  /** History that the agent replayed, until it is known whether the history must be stored. */
  #history: SessionEntry[] | undefined;
  /** Number of entries at the start that come from the replayed history, until it is known whether the file already contains them. */
  #repeated = 0;
  /** Number of pending requests in which the agent replays history. */
  #replays = 0;
  /** Number of characters in the unwritten entries and the replayed history. */
  #length = 0;
  /** Whether the existing file already contains the history. */
  #isKnown = false;
  /** Whether to drop all entries instead of storing them. */
  #isUnkept = false;
  /** Whether entries may be written. A session without messages leaves no file. */
  #mayWrite = false;
  /** Whether the user has sent a prompt; it may not be written yet. */
  #hasPrompt = false;
  #isClosed = false;
  #isScheduled = false;
  /** Number of operations that wait for a lock or a slow disk. New entries are written after these operations. */
  #waits = 0;
  #writing: Promise<void> = Promise.resolve();
  #claiming: Promise<ClaimedFile | undefined> | undefined;
  #claimed: ClaimedFile | undefined;
  #branch: string | undefined;
  #lines: SessionLines | undefined;
  #file: AppendedFile | undefined;
  /** Pending checks of files from ended turns. */
  #facts: Promise<void> = Promise.resolve();
  #pendingFacts = 0;
  /** Whether a disk failure stops writing until the next prompt. */
  #isStopped = false;

  constructor(opening: SessionOpening, options: SessionFileOptions) {
    this.#opening = opening;
    this.#options = options;
    // Lock the file early, so that the first message can be written immediately; but don't if the session continues another conversation,
    // which may still grow.
    if (!opening.continues) void this.#claim();
    // Copy immediately: a copied conversation has contents even before its first prompt.
    if (opening.copyOf !== undefined) void this.#inTurn(() => this.#copy());
  }

  /** Number of characters that wait for the disk. */
  get waiting(): number {
    return this.#length;
  }

  /** Whether the file contains the user's messages. */
  get isKept(): boolean {
    return this.#hasPrompt && this.#file !== undefined && !this.#isStopped;
  }

  replays(): void {
    if (this.#replays++ > 0) return;
    // Collect the replayed history: the conversation so far may already be stored.
    if (this.#opening.hasHistory && !this.#mayWrite && !this.#isKnown) this.#history = [];
  }

  replayed(isKept: boolean): void {
    if (--this.#replays > 0) return;
    const history = this.#history ?? [];
    this.#history = undefined;
    if (!isKept) this.#length -= totalLength(history);
    else if (history.length > 0) {
      // Put the history before prompts that the user sent in the meantime.
      this.#entries = [...history, ...this.#entries];
      this.#repeated = history.length;
      this.#mayWrite = true;
    }
    this.#writeSoon();
  }

  update(params: string, byUser?: true): void {
    this.#push({ kind: "update", at: Date.now(), params, byUser });
  }

  child(params: string): void {
    this.#push({ kind: "child", at: Date.now(), params });
  }

  prompt(blocks: string): void {
    this.#hasPrompt = true;
    this.#mayWrite = true;
    void this.#claim();
    this.#push({ kind: "prompt", at: Date.now(), blocks });
  }

  permission(params: string, answer: string): void {
    this.#push({ kind: "permission", at: Date.now(), params, answer });
  }

  /** Records that the session continues another conversation, whose turns precede the session's next turns. */
  continues(continued: StoredContinued, title: string): void {
    this.#push({ kind: "continues", at: Date.now(), continued, title });
  }

  end(answer: string, agent: string): void {
    this.#push({ kind: "end", at: Date.now(), answer, agent });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.flushed();
  }

  /** Writes all entries synchronously unless the disk is slow. */
  writeNow(): void {
    if (this.#entries.length === 0 || this.#waits > 0 || !this.#isReady()) return;
    while (this.#entries.length > 0) {
      if (this.#file?.isSlow) {
        void this.flushed();
        return;
      }
      this.#writeNext((file, { lines, searched }) => file.append(lines, searched));
    }
  }

  /** Resolves when all entries so far are written. After the file was closed, also waits until the lock is released. */
  flushed(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#flush();
      if (this.#isClosed) await this.#release();
    });
  }

  /** Deletes the file and stops writing; returns false if there was none. */
  async remove(): Promise<boolean> {
    this.#isClosed = true;
    this.#drop();
    await this.#writing;
    const claimed = await this.#claiming;
    await this.#file?.close();
    this.#file = undefined;
    try {
      if (claimed) await rm(claimed.path, { force: true });
    } finally {
      await this.#release();
    }
    return claimed !== undefined;
  }

  #push(entry: SessionEntry): void {
    if (this.#isClosed || this.#isUnkept) return;
    const isRepeated = this.#replays > 0 && (entry.kind === "update" || entry.kind === "child");
    const queue = isRepeated ? this.#history : this.#entries;
    if (!queue) return;
    // Never drop user messages, which are small.
    if (this.#length > longestQueue && entry.kind !== "prompt" && entry.kind !== "end") {
      if (queue.at(-1)?.kind !== "gap") queue.push({ kind: "gap", at: entry.at });
      return;
    }
    queue.push(entry);
    this.#length += lengthOf(entry);
    // The agent gets the prompt in the next tick, which comes first.
    if (entry.kind === "prompt") setImmediate(() => this.writeNow());
    else this.#writeSoon();
  }

  #writeSoon(): void {
    if (this.#isScheduled || this.#entries.length === 0) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.writeNow();
    });
  }

  /** Runs an asynchronous operation after all earlier ones have ended. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#waits++;
    this.#writing = this.#writing
      .then(work)
      .catch((fault: unknown) => this.#stop(fault))
      .then(() => {
        this.#waits--;
      });
    return this.#writing;
  }

  /** Returns whether entries can be written; false while the replayed history, which precedes later prompts, is incomplete. */
  #isReady(): boolean {
    return this.#claimed !== undefined && this.#mayWrite && (!this.#history || this.#isClosed);
  }

  async #flush(): Promise<void> {
    if (this.#mayWrite) await this.#claim();
    while (this.#isReady() && (this.#entries.length > 0 || this.#pendingFacts > 0)) {
      if (this.#entries.length === 0) await this.#facts;
      else if (!this.#file?.isSlow) this.#writeNext((file, { lines, searched }) => file.append(lines, searched));
      else {
        let taken: Promise<void> | undefined;
        this.#writeNext((file, { lines, searched }) => (taken = file.appendLater(lines, searched)));
        await taken?.catch((fault: unknown) => this.#stop(fault));
      }
    }
  }

  #nextBatch(): readonly SessionEntry[] {
    this.#repeated = 0;
    const batch = this.#entries.splice(0, batchEnd(this.#entries));
    this.#length -= totalLength(batch);
    return batch;
  }

  #writeNext(append: (file: AppendedFile, batch: LineBatch) => unknown): void {
    const entries = this.#nextBatch();
    const startsTurn = entries.some(({ kind }) => kind === "prompt");
    if (this.#isStopped && !startsTurn) return;
    try {
      const [file, lines] = this.#begun();
      const batch = new LineBatch();
      if (this.#isStopped) {
        file.cut();
        lines.addTo(batch, { kind: "gap", at: Date.now() });
        this.#isStopped = false;
      }
      for (const entry of entries) {
        const touched = entry.kind === "end" ? lines.touched : undefined;
        lines.addTo(batch, entry);
        if (touched) this.#lookAt(touched, lines.summary.turns);
      }
      append(file, batch);
      if (entries.at(-1)?.kind === "end") file.toDisk();
    } catch (fault) {
      this.#stop(fault);
    }
  }

  #lookAt(touched: readonly string[], turn: number): void {
    if (touched.length === 0) return;
    this.#pendingFacts++;
    this.#facts = this.#noteFiles(touched, turn, this.#facts);
  }

  /** Records the state of the files that a turn used. Never rejects. */
  async #noteFiles(touched: readonly string[], turn: number, before: Promise<void>): Promise<void> {
    const files = await touchedFiles(touched, this.#opening.cwd).catch(() => []);
    await before;
    this.#pendingFacts--;
    if (this.#isUnkept || files.length === 0) return;
    this.#entries.push({ kind: "files", at: Date.now(), turn, files });
    this.#writeSoon();
  }

  /** Opens the file: repairs an incomplete last line, or writes the header of a new file. */
  #begun(): readonly [AppendedFile, SessionLines] {
    if (this.#lines && this.#file) return [this.#file, this.#lines];
    const claimed = this.#claimed;
    if (!claimed) throw new Error("no file is claimed");
    const { path, before, continues, source } = claimed;
    this.#file ??= new AppendedFile(path, this.#options);
    const begun = { agent: this.#opening.agent, ...(continues && { turns: continues.turn, title: continues.title }) };
    const lines = new SessionLines(before ?? source?.summary ?? begun);
    if (before) this.#file.mend(path);
    else {
      // Remove what a failed attempt has written.
      this.#file.empty();
      const { id, cwd, agent, client } = this.#opening;
      const header = { version: 1, session: id, cwd, agent, ...(client !== undefined && { client }) } as const;
      const branch = this.#branch;
      const from = continues ? { conversation: continues.conversation, turn: continues.turn } : source?.continues;
      const more = { ...(branch !== undefined && { branch }), ...(from && { continues: from }), started: Date.now() };
      // Don't mask the id and folder, which identify the session; otherwise, a secret variable whose value is a path could hide them.
      this.#file.append(lines.header({ ...header, ...more }), "");
      claimed.onBegun?.();
    }
    this.#lines = lines;
    return [this.#file, lines];
  }

  async #copy(): Promise<void> {
    const source = (await this.#claim())?.source;
    if (!source) return;
    this.#mayWrite = true;
    const [file] = this.#begun();
    for (const copied of copiedLines(source.path, source.end)) {
      await file.appendLater(copied);
      await others();
    }
  }

  /** Locks the session's file. Returns undefined if conversations aren't stored or locking fails; the next prompt tries again. */
  #claim(): Promise<ClaimedFile | undefined> {
    this.#claiming ??= this.#claimAnew().catch((fault: unknown) => {
      this.#claiming = undefined;
      this.#entries = [];
      this.#length = totalLength(this.#history ?? []);
      this.#stop(fault);
      return undefined;
    });
    return this.#claiming;
  }

  async #claimAnew(): Promise<ClaimedFile | undefined> {
    const claimed = await this.#options.claim(this.#opening);
    if (!claimed) this.#drop();
    else if (!claimed.before) this.#branch = await gitBranch(this.#opening.cwd);
    if (claimed?.before) this.#forgetHistory();
    this.#claimed = claimed;
    this.#writeSoon();
    return claimed;
  }

  /** Drops the history, which the file already contains. */
  #forgetHistory(): void {
    this.#isKnown = true;
    const known = [...(this.#history ?? []), ...this.#entries.splice(0, this.#repeated)];
    this.#length -= totalLength(known);
    this.#history = undefined;
    this.#repeated = 0;
    this.#mayWrite = this.#hasPrompt;
  }

  /** Drops the pending entries and all future ones. */
  #drop(): void {
    this.#isUnkept = true;
    this.#entries = [];
    this.#history = undefined;
    this.#length = 0;
  }

  #stop(fault: unknown): void {
    this.#isStopped = true;
    this.#options.onFault(messageOf(fault));
  }

  async #release(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#drop();
    await file?.close().catch((fault: unknown) => this.#stop(fault));
    const claimed = await this.#claiming;
    this.#claiming = Promise.resolve(undefined);
    this.#claimed = undefined;
    this.#options.onReleased?.();
    await claimed?.lock[Symbol.asyncDispose]();
  }
}
