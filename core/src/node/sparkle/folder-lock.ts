import { randomUUID } from "node:crypto";
import { open, readFile, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { memoryFault } from "../../proxies/sparkle/memory-fault.js";
import { asObject } from "../../rpc/json.js";
import { systemCode } from "./system-code.js";

/** The name of the lock file in a folder. */
export const lockName = ".lock";

export interface FolderLockOptions {
  /** How long to wait for others. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const defaultWaitMs = 15_000;
/** Whoever holds a lock this long has stopped: changes take milliseconds. */
const longestHoldMs = 60_000;
/** A lock whose owner is gone may also have an owner in another container, which this time spares. */
const graceMs = 2_000;

/**
 * Keeps all other processes and sessions that lock the same folder out until it is disposed. A lock that its
 * owner left behind is removed.
 */
export class FolderLock implements AsyncDisposable {
  private constructor(
    private readonly file: string,
    private readonly token: string,
  ) {}

  /** Takes the lock of an existing folder. Rejects when others hold it for too long, and when `signal` is aborted. */
  static async take(folder: string, { waitMs = defaultWaitMs, signal }: FolderLockOptions = {}): Promise<FolderLock> {
    const file = join(folder, lockName);
    const token = randomUUID();
    const owner = JSON.stringify({ pid: process.pid, host: hostname(), token });
    const deadline = Date.now() + waitMs;
    for (;;) {
      signal?.throwIfAborted();
      if (await create(file, owner)) return new FolderLock(file, token);
      if (await isAbandoned(file)) await removeAbandoned(file);
      else if (Date.now() > deadline) {
        throw memoryFault(
          `Another session has been writing to ${folder} for more than ${Math.round(waitMs / 1000)} seconds; nothing was kept.`,
          `Try again; if nothing else runs, delete ${file}.`,
        );
      }
      await wait(5 + Math.random() * 20);
    }
  }

  /** Rejects when the lock was taken over, as after a long sleep of the machine. */
  async assertHeld(): Promise<void> {
    if ((await ownerOf(this.file))?.["token"] === this.token) return;
    throw memoryFault("Another session took over while this one was writing; nothing more was kept.", "Try again.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if ((await ownerOf(this.file))?.["token"] === this.token) await rm(this.file, { force: true });
  }
}

/** Makes the file; false when it is there already. */
async function create(file: string, text: string): Promise<boolean> {
  try {
    await using handle = await open(file, "wx", 0o600);
    await handle.writeFile(text);
    return true;
  } catch (error) {
    const code = systemCode(error);
    // Windows refuses names whose deletion is under way with these.
    if (code === "EEXIST" || (process.platform === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(code)))
      return false;
    throw error;
  }
}

/**
 * Removes an abandoned lock under a lock for that alone: of two that find it abandoned, the slower one would
 * otherwise remove the new lock of the faster one.
 */
async function removeAbandoned(file: string): Promise<void> {
  const breaker = `${file}.break`;
  if (!(await create(breaker, ""))) {
    if ((await ageOf(breaker)) > longestHoldMs) await rm(breaker, { force: true });
    return;
  }
  try {
    if (await isAbandoned(file)) await rm(file, { force: true });
  } finally {
    await rm(breaker, { force: true });
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const age = await ageOf(file);
  if (age > longestHoldMs) return true;
  if (age < graceMs) return false;
  const owner = await ownerOf(file);
  if (owner === undefined) return true;
  const { pid, host } = owner;
  return host === hostname() && typeof pid === "number" && !isAlive(pid);
}

/** What the lock says of its owner; undefined when it is gone, or was left half written. */
async function ownerOf(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return asObject(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Milliseconds since the file was written; 0 when it is gone. */
async function ageOf(file: string): Promise<number> {
  const written = await stat(file).catch(() => undefined);
  return written === undefined ? 0 : Date.now() - written.mtimeMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
