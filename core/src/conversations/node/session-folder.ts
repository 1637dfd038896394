import { randomBytes } from "node:crypto";
import { chmod, mkdir, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../node/atomic-write.js";
import { FileLock } from "../../node/file-lock.js";
import type { ConversationSettings } from "../../settings/conversation-settings.js";
import type { SessionLog, SessionLogs, SessionOpening } from "../session-log.js";
import { type ClaimedFile, SessionFile } from "./session-file.js";
import { listSessions, sessionEnding } from "./session-index.js";
import type { StoredSession } from "./stored-session.js";

interface SessionFolderOptions {
  readonly folder: string;
  /** What the user wants to be kept; asked once, when the first session is opened. */
  readonly settings: () => Promise<ConversationSettings>;
  /** Hides what nobody may read. */
  readonly mask: (text: string) => string;
  /** The first conversation ever is kept in `folder`. */
  readonly onFirst?: () => void;
  /** Called once: the disk did not take what it was given. */
  readonly onFault?: (message: string) => void;
  /** Writes at the end of a file; the system's own unless told. */
  readonly write?: (handle: FileHandle, text: string) => Promise<unknown>;
}

const dayMs = 24 * 60 * 60_000;
/** Of one process. */
const cleaningEveryMs = 60 * 60_000;

/**
 * The conversations of a user: a file for each session in a folder that is the user's alone. Every process writes the files
 * of its own sessions; a lock keeps a session that is open in two of them from being written by both.
 */
export class SessionFolder implements SessionLogs, AsyncDisposable {
  readonly #options: SessionFolderOptions;
  readonly #files = new Map<string, SessionFile>();
  #settings: Promise<ConversationSettings> | undefined;
  #cleaned = -Infinity;
  #hasFailed = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: SessionFolderOptions) {
    this.#options = options;
  }

  open(opening: SessionOpening): SessionLog {
    const before = this.#files.get(opening.id);
    const file = new SessionFile(opening, {
      claim: async (wanted) => {
        await before?.flushed();
        return this.#claim(wanted);
      },
      mask: this.#options.mask,
      write: this.#options.write,
      onFault: (message) => this.#fail(message),
    });
    this.#files.set(opening.id, file);
    return file;
  }

  forget(id: string): void {
    const file = this.#files.get(id);
    this.#files.delete(id);
    this.#work = this.#work
      .then(async () => {
        await file?.remove();
        for (const { id: stored, session } of await listSessions(this.#options.folder)) {
          if (session === id) await removeSession(this.#options.folder, stored);
        }
      })
      .catch((fault: unknown) => this.#fail(String(fault)));
  }

  /** Resolves when everything is on disk that came until now. */
  async settled(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.flushed()));
    await this.#work;
  }

  /** Resolves when everything is written, and no file is ours any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files.values()) file.close();
    await this.settled();
  }

  #fail(message: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onFault?.(message);
  }

  async #claim({ id, cwd, hasHistory }: SessionOpening): Promise<ClaimedFile | undefined> {
    this.#settings ??= this.#options.settings();
    const settings = await this.#settings;
    if (!settings.keep) return undefined;
    const { folder } = this.#options;
    const known = hasHistory
      ? (await listSessions(folder)).find((one) => one.session === id && one.cwd === cwd)
      : undefined;
    const path = known && join(folder, `${known.id}${sessionEnding}`);
    const lock = path === undefined ? undefined : await FileLock.tryTake(path);
    if (known && path !== undefined && lock) return { path, lock, before: known };
    return this.#claimNew(settings);
  }

  async #claimNew(settings: ConversationSettings): Promise<ClaimedFile> {
    const { folder, onFirst } = this.#options;
    const isFirst = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
    const { mode } = await stat(folder);
    if ((mode & 0o077) !== 0 && process.platform !== "win32") await chmod(folder, 0o700);
    if (isFirst) onFirst?.();
    if (performance.now() - this.#cleaned > cleaningEveryMs) {
      this.#cleaned = performance.now();
      this.#work = this.#work.then(() => cleanSessions(folder, settings)).catch(() => undefined);
    }
    const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
    const path = join(folder, `${stamp}-${randomBytes(4).toString("hex")}${sessionEnding}`);
    return { path, lock: await FileLock.take(path) };
  }
}

/** Removes the sessions that are older, and then the oldest while all are larger, than the user wants; not the open ones. */
export async function cleanSessions(
  folder: string,
  { days, megabytes }: Pick<ConversationSettings, "days" | "megabytes">,
  now = Date.now(),
): Promise<void> {
  const sessions = await listSessions(folder);
  let bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  for (const { id, updated, bytes: own } of [...sessions].reverse()) {
    const isOld = now - updated > days * dayMs;
    if (!isOld && bytes <= megabytes * 1024 * 1024) continue;
    if (await removeSession(folder, id)) bytes -= own;
  }
}

/** Removes a session's file; false for one that is open somewhere. */
export async function removeSession(folder: string, id: StoredSession["id"]): Promise<boolean> {
  const path = join(folder, `${id}${sessionEnding}`);
  await using lock = await FileLock.tryTake(path);
  if (!lock) return false;
  await rm(path).catch((fault: unknown) => {
    if (systemCode(fault) !== "ENOENT") throw fault;
  });
  return true;
}
