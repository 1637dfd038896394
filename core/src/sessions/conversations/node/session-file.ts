import { rm } from "node:fs/promises";
import { setImmediate as others } from "node:timers/promises";
import { messageOf } from "../../../base/symposium-error.js";
import { batchEnd, lengthOf } from "../session-entries.js";
import { type SessionEntry, SessionLines } from "../session-lines.js";
import type { SessionLog, SessionOpening } from "../session-log.js";
import type { SessionHeader, SessionSummary, StoredContinued } from "../stored-record.js";
import { AppendedFile, type DiskWriter } from "./appended-file.js";
import { copiedLines } from "./copied-session.js";
import { gitBranch, touchedFiles } from "./file-facts.js";

/** A session's file that nobody else writes while its lock is held. */
export interface ClaimedFile {
  readonly path: string;
  readonly lock: AsyncDisposable;
  /** Called when something was written into a new one. */
  onBegun?(): void;
  /** What it says already; undefined for a file that is not there yet. */
  readonly before?: SessionSummary;
  /** What a new one goes on with, and what that came to. */
  readonly continues?: { readonly conversation: string; readonly turn: number; readonly title: string };
  /** The file of which a new one is a copy, until so many bytes, and what that comes to. */
  readonly source?: {
    readonly path: string;
    readonly end?: number;
    readonly summary: SessionSummary;
    readonly continues?: NonNullable<SessionHeader["continues"]>;
  };
}

interface SessionFileOptions {
  /** The file that the session goes on in, or a new one; undefined where nothing is to be kept. */
  claim(opening: SessionOpening): Promise<ClaimedFile | undefined>;
  /** Hides what nobody may read. */
  readonly mask: (text: string) => string;
  /** The system's own unless told. */
  readonly disk?: Partial<DiskWriter> | undefined;
  /** The disk did not take what it was given. */
  onFault(message: string): void;
  /** It was closed, everything is written, and the file is anybody's again. */
  onReleased?(): void;
}

/** Characters that may wait for a slow disk, or for an agent that repeats what was said; updates that come then are left out. */
const longestQueue = 64 * 1024 * 1024;

/**
 * One session's file. What came in one turn of the event loop is written in one piece at its end, or before anything leaves
 * for the editor ({@link writeNow}), so that a process that is killed has kept what the editor was sent. Only a disk that is
 * slow is not waited for.
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
  #isScheduled = false;
  /** Writes that wait for a claim, or a slow disk: entries wait for them. */
  #waits = 0;
  #writing: Promise<void> = Promise.resolve();
  #claiming: Promise<ClaimedFile | undefined> | undefined;
  #claimed: ClaimedFile | undefined;
  #branch: string | undefined;
  #lines: SessionLines | undefined;
  #file: AppendedFile | undefined;
  /** What is looked at of the files of turns that have ended. */
  #facts: Promise<void> = Promise.resolve();
  #pendingFacts = 0;
  /** The disk is full, or gone: until the next prompt nothing is written. */
  #isStopped = false;

  constructor(opening: SessionOpening, options: SessionFileOptions) {
    this.#opening = opening;
    this.#options = options;
    // Before anything is said, so that the first word can be written at once. What it goes on with may still grow.
    if (!opening.continues) void this.#claim();
    // A copy is there from the beginning, with what is in it.
    if (opening.copyOf !== undefined) void this.#inTurn(() => this.#copy());
  }

  /** Characters that wait for the disk. */
  get waiting(): number {
    return this.#length;
  }

  /** What the user has said is in the file. */
  get isKept(): boolean {
    return this.#hasPrompt && this.#file !== undefined && !this.#isStopped;
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

  /** From here on it goes on with another conversation, whose turns come before its own. */
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

  /** Writes what came until now, where the disk is known to take it at once. */
  writeNow(): void {
    if (this.#entries.length === 0 || this.#waits > 0 || !this.#isReady()) return;
    while (this.#entries.length > 0) {
      if (this.#file?.isSlow) {
        void this.flushed();
        return;
      }
      this.#writeNext((file, text) => file.append(text));
    }
  }

  /** Resolves when everything is written that came until now, and, once closed, when the file is anybody's again. */
  flushed(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#flush();
      if (this.#isClosed) await this.#release();
    });
  }

  /** The file is deleted, and nothing more is written; false where there was none. */
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
    // What users say is never left out: nobody types that much.
    if (this.#length > longestQueue && entry.kind !== "prompt" && entry.kind !== "end") {
      if (queue.at(-1)?.kind !== "gap") queue.push({ kind: "gap", at: entry.at });
      return;
    }
    queue.push(entry);
    this.#length += lengthOf([entry]);
    this.#writeSoon();
  }

  #writeSoon(): void {
    if (this.#isScheduled || this.#entries.length === 0) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      this.writeNow();
    });
  }

  /** One after the other. */
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

  /** What is repeated stands before the prompts that came meanwhile. */
  #isReady(): boolean {
    return this.#claimed !== undefined && this.#mayWrite && (!this.#history || this.#isClosed);
  }

  /** Writes what waits, and what comes of looking at files. */
  async #flush(): Promise<void> {
    if (this.#mayWrite) await this.#claim();
    while (this.#isReady() && (this.#entries.length > 0 || this.#pendingFacts > 0)) {
      if (this.#entries.length === 0) await this.#facts;
      else if (!this.#file?.isSlow) this.#writeNext((file, text) => file.append(text));
      else {
        let taken: Promise<void> | undefined;
        this.#writeNext((file, text) => (taken = file.appendLater(text)));
        await taken?.catch((fault: unknown) => this.#stop(fault));
      }
    }
  }

  #nextBatch(): readonly SessionEntry[] {
    this.#repeated = 0;
    const batch = this.#entries.splice(0, batchEnd(this.#entries));
    this.#length -= lengthOf(batch);
    return batch;
  }

  #writeNext(append: (file: AppendedFile, text: string) => unknown): void {
    const batch = this.#nextBatch();
    const startsTurn = batch.some(({ kind }) => kind === "prompt");
    if (this.#isStopped && !startsTurn) return;
    try {
      const [file, lines] = this.#begun();
      let text = "";
      if (this.#isStopped) {
        file.cut();
        text = lines.of({ kind: "gap", at: Date.now() });
        this.#isStopped = false;
      }
      for (const entry of batch) {
        const { touched } = lines;
        text += lines.of(entry);
        if (entry.kind === "end") this.#lookAt(touched, lines.summary.turns);
      }
      append(file, text);
      if (batch.at(-1)?.kind === "end") file.toDisk();
    } catch (fault) {
      this.#stop(fault);
    }
  }

  /** Notes what has become of the files that were touched. */
  #lookAt(touched: readonly string[], turn: number): void {
    if (touched.length === 0) return;
    this.#pendingFacts++;
    this.#facts = this.#noteFiles(touched, turn, this.#facts);
  }

  /** Never rejects. */
  async #noteFiles(touched: readonly string[], turn: number, before: Promise<void>): Promise<void> {
    const files = await touchedFiles(touched, this.#opening.cwd).catch(() => []);
    await before;
    this.#pendingFacts--;
    if (this.#isUnkept || files.length === 0) return;
    this.#entries.push({ kind: "files", at: Date.now(), turn, files });
    this.#writeSoon();
  }

  /** Opens the file, mends its last line where that was not finished, and begins it where it is new. */
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
      // What an attempt has left that failed.
      this.#file.empty();
      const { id, cwd, agent, client } = this.#opening;
      const header = { version: 1, session: id, cwd, agent, ...(client !== undefined && { client }) } as const;
      const branch = this.#branch;
      const from = continues ? { conversation: continues.conversation, turn: continues.turn } : source?.continues;
      const more = { ...(branch !== undefined && { branch }), ...(from && { continues: from }), started: Date.now() };
      // By folder and id the session is found again: a variable that has a path for its secret must not hide them.
      this.#file.append(lines.header({ ...header, ...more }), (text) => text);
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

  /** Undefined where nothing is to be kept, and where it failed, which is tried again with the next prompt. */
  #claim(): Promise<ClaimedFile | undefined> {
    this.#claiming ??= this.#claimAnew().catch((fault: unknown) => {
      this.#claiming = undefined;
      this.#entries = [];
      this.#length = lengthOf(this.#history ?? []);
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
