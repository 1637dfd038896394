import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, rm, rmdir, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readProcessTable } from "../process-table.js";

export interface LockOptions {
  readonly signal: AbortSignal;
  /** Called once when somebody else holds the lock. */
  readonly onWait?: () => void;
}

/** A holder says so often that it lives. */
const beatMs = 20_000;
/** A holder on another machine, or one whose pid may mean another process by now, counts as gone after that long. */
const silenceMs = 10 * 60_000;

/**
 * Keeps everybody else, in this process and in others, out until it is disposed of. `folder` is the lock's own:
 * each claim is a file in it whose name says who made it. Whoever finds another living claim after making one
 * takes the own back, so two never hold the lock; claims of dead processes do not count and are removed, which is
 * safe because no name is used twice.
 */
export async function acquireLock(folder: string, { signal, onWait }: LockOptions): Promise<AsyncDisposable> {
  const own = `${process.pid}-${await startOf(process.pid)}-${host()}-${randomBytes(4).toString("hex")}`;
  let hasWaited = false;
  for (;;) {
    signal.throwIfAborted();
    if (await isHeldByOthers(folder, own)) {
      if (!hasWaited) onWait?.();
      hasWaited = true;
      await delay(50 + Math.random() * 50, undefined, { signal });
      continue;
    }
    if (!(await claim(folder, own))) continue;
    if (!(await isHeldByOthers(folder, own))) return hold(folder, own);
    await release(folder, own);
    await delay(Math.random() * 50, undefined, { signal });
  }
}

function hold(folder: string, own: string): AsyncDisposable {
  const beat = setInterval(() => {
    const now = new Date();
    utimes(join(folder, own), now, now).catch(() => undefined);
  }, beatMs);
  beat.unref();
  return {
    [Symbol.asyncDispose]: () => {
      clearInterval(beat);
      return release(folder, own);
    },
  };
}

/** False when the folder went away meanwhile, with the last claim in it. */
async function claim(folder: string, own: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(join(folder, own), "", { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

async function release(folder: string, own: string): Promise<void> {
  await rm(join(folder, own), { force: true });
  // The last one leaves no folders behind.
  await rmdir(folder)
    .then(() => rmdir(dirname(folder)))
    .catch(() => undefined);
}

async function isHeldByOthers(folder: string, own: string): Promise<boolean> {
  const claims = await readdir(folder).catch(() => []);
  for (const name of claims) {
    if (name === own) continue;
    if (await isAlive(folder, name)) return true;
    await rm(join(folder, name), { force: true });
  }
  return false;
}

async function isAlive(folder: string, name: string): Promise<boolean> {
  const [pid = "", start = "", where = ""] = name.split("-");
  if (where === host()) {
    if (!exists(Number(pid))) return false;
    if (start !== unknownStart) return start === (await startOf(Number(pid)));
  }
  const stats = await stat(join(folder, name)).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs < silenceMs;
}

const unknownStart = "0";

/** When a process started, which tells it from a later one with its pid; only Linux says so in a way that does not depend on who asks. */
async function startOf(pid: number): Promise<string> {
  if (process.platform !== "linux") return unknownStart;
  return (await readProcessTable()).find((entry) => entry.pid === pid)?.startedAt ?? unknownStart;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function host(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}
