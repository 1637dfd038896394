import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { chmod, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../base/symposium-error.js";
import { makeFolder, systemCode } from "../../../base/node/atomic-write.js";
import { FileLock } from "../../../base/node/file-lock.js";
import type { Continued } from "../continued-session.js";
import type { DeletedSession, SessionLog, SessionLogs, SessionOpening } from "../session-log.js";
import type { DiskWriter } from "./appended-file.js";
import { copiedPart } from "./copied-session.js";
import { noteDeleted } from "./deleted-sessions.js";
import { namedSession } from "./named-session.js";
import { type ClaimedFile, SessionFile } from "./session-file.js";
import { listFiles, listSessions, sessionEnding, unfinishedEnding } from "./session-index.js";
import type { StoredContinued } from "../stored-record.js";
import { readSummary, type StoredSession } from "./stored-session.js";

/** Settings for storing conversations: on or off, maximum age in days, and maximum size in megabytes. */
interface KeepingSettings {
  readonly keep: boolean;
  readonly days: number;
  readonly megabytes: number;
}

interface SessionFolderOptions {
  readonly folder: string;
  /** Returns the user's settings; called for each new session. */
  readonly settings: () => Promise<KeepingSettings>;
  readonly mask: (text: string) => string;
  /** Called when the first conversation ever is stored in `folder`. */
  readonly onFirst?: () => void;
  /** Called once if writing fails. */
  readonly onFault?: (message: string) => void;
  /** Replacements for the system's functions; by default, the system's functions are used. */
  readonly disk?: Partial<DiskWriter>;
}

const dayMs = 24 * 60 * 60_000;
/** Milliseconds between two cleanups by the same process. */
const cleaningEveryMs = 60 * 60_000;
/** Matches the temporary file to which a list is written before it replaces the old file. */
const draftName = /^\.(?:index|hidden|deleted|archived)\.json\..+\.tmp$/;

/** Stores the user's conversations: one file per session in a private folder. A lock prevents two processes from writing one session. */
export class SessionFolder implements SessionLogs, AsyncDisposable {
  readonly #files = new Map<SessionFile, SessionOpening>();
  #cleaned = -Infinity;
  #hasFailed = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: SessionFolderOptions) {}

  open(opening: SessionOpening): SessionLog {
    const { copyOf } = opening;
    const before = [
      ...this.#filesOf(opening),
      ...(copyOf === undefined ? [] : this.#filesOf({ id: copyOf, agent: opening.agent })),
    ];
    const file: SessionFile = new SessionFile(opening, {
      claim: async (wanted) => {
        await Promise.all(before.map((one) => one.flushed()));
        return this.#claim(wanted);
      },
      mask: this.options.mask,
      disk: this.options.disk,
      onFault: (message) => this.#fail(message),
      onReleased: () => this.#files.delete(file),
    });
    this.#files.set(file, opening);
    return file;
  }

  /** Records which conversation an open session continues, for sessions of which this wasn't known when they opened. */
  noteContinued(session: string, continued: StoredContinued, title: string): void {
    for (const [file, { id }] of this.#files) if (id === session) file.continues(continued, title);
  }

  forget(deleted: DeletedSession): void {
    const files = this.#filesOf(deleted);
    this.#work = this.#work
      .then(async () => {
        let isRemoved = false;
        for (const file of files) isRemoved = (await file.remove()) || isRemoved;
        isRemoved = (await this.#removeStored(deleted)) || isRemoved;
        const { agent, id: session } = deleted;
        if (isRemoved) await noteDeleted(this.options.folder, [{ agent, session }]);
      })
      .catch((fault: unknown) => this.#fail(messageOf(fault)));
  }

  /**
   * Deletes a stored session. If several folders have a session with this id and the folder is unknown, deletes nothing, since they could
   * be different sessions.
   */
  async #removeStored({ id, agent, cwd }: DeletedSession): Promise<boolean> {
    const { folder } = this.options;
    const stored = (await listSessions(folder)).filter((one) => one.session === id && one.agent === agent);
    const places = new Set(stored.map((one) => one.cwd));
    if (cwd === undefined && places.size > 1) return false;
    const chosen = stored.filter((one) => one.cwd === (cwd ?? one.cwd));
    let isRemoved = false;
    for (const { id: file } of chosen) isRemoved = (await removeSession(folder, file)) || isRemoved;
    // Removes deleted files from the index.
    await listSessions(folder);
    return isRemoved;
  }

  /** Returns the open files of a session. Matches by folder if known, since the agent of an open session may have changed. */
  #filesOf({ id, agent, cwd }: DeletedSession): readonly SessionFile[] {
    return [...this.#files]
      .filter(([, one]) => one.id === id && (cwd === undefined ? one.agent === agent : one.cwd === cwd))
      .map(([file]) => file);
  }

  isKept(session: string): boolean {
    return [...this.#files].some(([file, { id }]) => id === session && file.isKept);
  }

  /** Returns true for exactly one caller across all processes; that caller shows the notice about stored conversations. */
  claimNotice(): boolean {
    try {
      closeSync(openSync(join(this.options.folder, "notice-said"), "wx", 0o600));
      return true;
    } catch {
      // Another process has shown the notice, or the folder isn't writable.
      return false;
    }
  }

  /** Writes all entries synchronously unless the disk is slow. */
  writeNow(): void {
    for (const file of this.#files.keys()) file.writeNow();
  }

  /** Resolves when all entries so far are written. */
  async settled(): Promise<void> {
    await Promise.all([...this.#files.keys()].map((file) => file.flushed()));
    await this.#work;
  }

  /** Resolves when all is written and all locks are released. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files.keys()) file.close();
    await this.settled();
  }

  #fail(message: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.options.onFault?.(message);
  }

  async #claim(opening: SessionOpening): Promise<ClaimedFile | undefined> {
    const settings = await this.options.settings();
    if (!settings.keep) return undefined;
    const known = opening.hasHistory ? await this.#claimKnown(opening) : undefined;
    if (known) return known;
    const continues = opening.continues && (await this.#continuedBy(opening.continues, opening.cwd));
    const source = await this.#sourceOf(opening);
    return { ...(await this.#claimNew(settings)), ...(continues && { continues }), ...(source && { source }) };
  }

  async #sourceOf({ copyOf, copyUntil, agent }: SessionOpening): Promise<ClaimedFile["source"]> {
    if (copyOf === undefined) return undefined;
    const { folder } = this.options;
    const known = (await listSessions(folder)).find((one) => one.session === copyOf && one.agent === agent);
    const path = join(folder, `${known?.id ?? ""}${sessionEnding}`);
    const read = known && (await readSummary(path).catch(() => undefined));
    if (!read) return undefined;
    const { continues } = read.header;
    const part = copyUntil === undefined ? undefined : await copiedPart(path, copyUntil, read.summary);
    return { path, summary: read.summary, ...part, ...(continues && { continues }) };
  }

  async #claimKnown({ id, cwd, agent }: SessionOpening): Promise<ClaimedFile | undefined> {
    const { folder } = this.options;
    const all = await listSessions(folder);
    const known = all.find((one) => one.session === id && one.cwd === cwd && one.agent === agent);
    if (!known) return undefined;
    const path = join(folder, `${known.id}${sessionEnding}`);
    const lock = await FileLock.tryTake(path);
    if (!lock) return undefined;
    // Another process may have written or removed the file since it was listed.
    const read = await readSummary(path).catch(() => undefined);
    if (read?.header.session === id) return { path, lock, before: read.summary };
    await lock[Symbol.asyncDispose]();
    return undefined;
  }

  /** Returns the conversation that a new session continues; undefined if that conversation is no longer stored. */
  async #continuedBy(
    { conversation, agent, turn = Infinity }: Continued,
    cwd: string,
  ): Promise<ClaimedFile["continues"]> {
    const parent = namedSession(await listSessions(this.options.folder), conversation, { agent, cwd });
    return parent && { conversation: parent.id, turn: Math.min(turn, parent.turns), title: parent.title };
  }

  async #claimNew(settings: KeepingSettings): Promise<ClaimedFile> {
    const { folder, onFirst } = this.options;
    const isFirst = (await makeFolder(folder, 0o700)) !== undefined;
    const { mode } = await stat(folder);
    if ((mode & 0o077) !== 0 && process.platform !== "win32") await chmod(folder, 0o700);
    if (performance.now() - this.#cleaned > cleaningEveryMs) {
      this.#cleaned = performance.now();
      this.#work = this.#work.then(() => cleanSessions(folder, settings)).catch(() => undefined);
    }
    const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
    const path = join(folder, `${stamp}-${randomBytes(4).toString("hex")}${sessionEnding}`);
    const lock = await FileLock.take(path);
    return { path, lock, ...(isFirst && onFirst && { onBegun: onFirst }) };
  }
}

/** Removes sessions above the maximum age, then the oldest above the maximum size, and empty files. Spares open sessions. */
export async function cleanSessions(
  folder: string,
  { days, megabytes }: Omit<KeepingSettings, "keep">,
  now = Date.now(),
): Promise<void> {
  const files = await listFiles(folder);
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  for (const { id, updated, bytes: own } of [...files].reverse()) {
    const isOld = now - updated > days * dayMs;
    if (!isOld && own > 0 && bytes <= megabytes * 1024 * 1024) continue;
    if (await removeSession(folder, id, own)) bytes -= own;
  }
  await removeUnfinished(folder);
  // Removes deleted files from the index.
  await listSessions(folder);
}

/** Removes files left by processes that were killed while importing or writing a list. Spares the files of running processes. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (name.endsWith(`${sessionEnding}${unfinishedEnding}`)) {
      await using lock = await FileLock.tryTake(path.slice(0, -unfinishedEnding.length));
      if (lock) await rm(path, { force: true });
    } else if (draftName.test(name)) {
      const written = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
      if (Date.now() - written > cleaningEveryMs) await rm(path, { force: true });
    }
  }
}

/** Removes a session's file; returns false if it is open in any process, or its size isn't `bytes`. */
export async function removeSession(folder: string, id: StoredSession["id"], bytes?: number): Promise<boolean> {
  const path = join(folder, `${id}${sessionEnding}`);
  await using lock = await FileLock.tryTake(path);
  if (!lock) return false;
  if (bytes !== undefined && (await stat(path).catch(() => undefined))?.size !== bytes) return false;
  await rm(path).catch((fault: unknown) => {
    if (systemCode(fault) !== "ENOENT") throw fault;
  });
  return true;
}
