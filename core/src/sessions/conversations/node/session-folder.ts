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

/** Whether conversations are kept, for how many days, and how many megabytes of them. */
interface KeepingSettings {
  readonly keep: boolean;
  readonly days: number;
  readonly megabytes: number;
}

interface SessionFolderOptions {
  readonly folder: string;
  /** What the user wants to be kept; asked for each session that is about to be kept. */
  readonly settings: () => Promise<KeepingSettings>;
  /** Hides what nobody may read. */
  readonly mask: (text: string) => string;
  /** The first conversation ever is kept in `folder`. */
  readonly onFirst?: () => void;
  /** Called once: the disk did not take what it was given. */
  readonly onFault?: (message: string) => void;
  /** The system's own unless told. */
  readonly disk?: Partial<DiskWriter>;
}

const dayMs = 24 * 60 * 60_000;
/** Of one process. */
const cleaningEveryMs = 60 * 60_000;
/** What lists are written as before they take the place of the old. */
const draftName = /^\.(?:index|hidden)\.json\..+\.tmp$/;

/**
 * The conversations of a user: a file for each session in a folder that is the user's alone. Every process writes the files
 * of its own sessions; a lock keeps a session that is open in two of them from being written by both.
 */
export class SessionFolder implements SessionLogs, AsyncDisposable {
  /** Those that are open, and those that are not written yet. */
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

  /** An open session goes on with another conversation, which was not said when it was opened. */
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

  /** Where it is not known in which folder the session was, and there are several, they could be different ones: all stay. */
  async #removeStored({ id, agent, cwd }: DeletedSession): Promise<boolean> {
    const { folder } = this.options;
    const stored = (await listSessions(folder)).filter((one) => one.session === id && one.agent === agent);
    const places = new Set(stored.map((one) => one.cwd));
    if (cwd === undefined && places.size > 1) return false;
    const chosen = stored.filter((one) => one.cwd === (cwd ?? one.cwd));
    let isRemoved = false;
    for (const { id: file } of chosen) isRemoved = (await removeSession(folder, file)) || isRemoved;
    // The index must not name what is gone.
    await listSessions(folder);
    return isRemoved;
  }

  /** The agent of a session that is open may have changed. */
  #filesOf({ id, agent, cwd }: DeletedSession): readonly SessionFile[] {
    return [...this.#files]
      .filter(([, one]) => one.id === id && (cwd === undefined ? one.agent === agent : one.cwd === cwd))
      .map(([file]) => file);
  }

  /** Whether what the user said in an open session is in its file. */
  isKept(session: string): boolean {
    return [...this.#files].some(([file, { id }]) => id === session && file.isKept);
  }

  /** True for one caller of all processes, ever: who tells the user that conversations are kept. */
  claimNotice(): boolean {
    try {
      closeSync(openSync(join(this.options.folder, "notice-said"), "wx", 0o600));
      return true;
    } catch {
      // Another one has told, or the folder takes nothing.
      return false;
    }
  }

  /** Writes what came until now, where the disk is known to take it at once. */
  writeNow(): void {
    for (const file of this.#files.keys()) file.writeNow();
  }

  /** Resolves when everything is written that came until now. */
  async settled(): Promise<void> {
    await Promise.all([...this.#files.keys()].map((file) => file.flushed()));
    await this.#work;
  }

  /** Resolves when everything is written, and no file is ours any more. */
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

  /** What a copy begins with. */
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
    // Since it was listed, others may have written it, or removed it.
    const read = await readSummary(path).catch(() => undefined);
    if (read?.header.session === id) return { path, lock, before: read.summary };
    await lock[Symbol.asyncDispose]();
    return undefined;
  }

  /** Undefined where that is not kept any more. */
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

/**
 * Removes the sessions that are older, and then the oldest while all are larger, than the user wants, and files in which
 * nothing was ever written; not the open ones.
 */
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
  // The index must not name what is gone.
  await listSessions(folder);
}

/** Removes what processes have left that were killed amid an import, or amid a write of a list; not what is under way. */
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

/** Removes a session's file; false for one that is open somewhere, or has no longer `bytes`. */
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
