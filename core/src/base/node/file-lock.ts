import { setTimeout as delay } from "node:timers/promises";
import { SymposiumError } from "../symposium-error.js";
import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, readdir, readFile, rm, rmdir, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asObject } from "../rpc/json.js";
import { livenessOf, ownIdentity, type ProcessIdentity } from "./process-table.js";
import { makeFolder, systemCode } from "./atomic-write.js";

interface FileLockOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for others; 15 seconds unless told, which is long for the change of a file. */
  readonly waitMs?: number;
  /** Called once when somebody else holds the lock. */
  readonly onWait?: () => void;
}

const defaultWaitMs = 15_000;
const beatMs = 15_000;
const firstPauseMs = 4;
const longestPauseMs = 100;

/**
 * The one lock of this product: keeps everybody else, in this process and in others, away from a file (or whatever else a
 * path stands for) until it is disposed of. A process that is killed or crashes holds nothing any more.
 */
export class FileLock implements AsyncDisposable {
  readonly #beat: NodeJS.Timeout;

  private constructor(
    private readonly folder: LockFolder,
    private readonly number: number,
  ) {
    this.#beat = setInterval(() => void folder.beat(number), beatMs);
    this.#beat.unref();
  }

  /** Waits until nobody else has it. Rejects with `locked` when that takes too long, and when `signal` is aborted. */
  static async take(file: string, options: FileLockOptions = {}): Promise<FileLock> {
    const { signal, waitMs = defaultWaitMs, onWait } = options;
    const folder = new LockFolder(lockFolderOf(file));
    const start = performance.now();
    let hasWaited = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      signal?.throwIfAborted();
      const attempt = await folder.attempt();
      if (attempt !== "again" && "number" in attempt) return new FileLock(folder, attempt.number);
      if (attempt !== "again") {
        if (performance.now() - start >= waitMs) throw locked(file, folder, attempt.holder);
        if (!hasWaited) onWait?.();
        hasWaited = true;
      }
      await delay(pauseMs * (0.5 + Math.random()), undefined, signal && { signal }).catch(() => undefined);
    }
  }

  /** Undefined when somebody else has it. */
  static async tryTake(file: string): Promise<FileLock | undefined> {
    try {
      return await FileLock.take(file, { waitMs: 0 });
    } catch (error) {
      if (error instanceof SymposiumError && error.code === "locked") return undefined;
      throw error;
    }
  }

  /** Whether it is ours still: one that did not live for minutes, as on a disk of another machine, may have lost it. */
  isHeld(): Promise<boolean> {
    return this.folder.isOurs(this.number);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#beat);
    await this.folder.release(this.number);
  }
}

/** Where the claims to a file are. */
export function lockFolderOf(file: string): string {
  return `${file}.lock`;
}

function locked(file: string, folder: LockFolder, holder: Holder): SymposiumError {
  const who = holder.pid === undefined ? "Another process" : `Another process (pid ${holder.pid})`;
  return new SymposiumError(
    "locked",
    `${who} is changing ${file}.`,
    `Try again; if nothing else runs, delete ${folder.path}.`,
  );
}

/** A holder of whom nothing else is known, such as one in another container, is gone after that long without a beat. */
const silenceMs = 5 * 60_000;
/** Codes by which Windows refuses names whose deletion is under way, which is soon over. */
const busyCodes = new Set(process.platform === "win32" ? ["EPERM", "EACCES", "EBUSY"] : []);
const busyAttempts = 100;
const claimName = /^[1-9]\d{0,14}$/;
const draftName = /^draft-[\da-f-]{36}$/;

/** Who holds a lock. */
interface Holder {
  readonly pid: number | undefined;
}

/** What became of an attempt: our claim's number, somebody who lives and has the lock, or neither, which is tried again. */
type Attempt = { readonly number: number } | { readonly holder: Holder } | "again";

/**
 * The claims to one lock: files in a folder of its own, whose names are numbers and which say who made them. A new claim
 * has the next number, so of several processes that want it at once the system lets one make it. Whoever has made one
 * looks again and takes it back where another living claim is there, so two never hold the lock, whatever each of them
 * saw before. Claims of processes that are gone are removed by the next holder, whose own claim stands meanwhile: no
 * number below it comes back, so nobody removes a claim that is not the one that was looked at.
 */
class LockFolder {
  readonly #token = randomUUID();
  #busy = 0;

  constructor(readonly path: string) {}

  async attempt(): Promise<Attempt> {
    const before = await this.#look();
    if (before.holder) return { holder: before.holder };
    // Nobody takes this one away: where it cannot be made, it never can.
    await makeFolder(dirname(this.path));
    try {
      await mkdir(this.path).catch((error: unknown) => {
        if (systemCode(error) !== "EEXIST") throw error;
      });
      await this.#refuseLink();
      const number = Math.max(0, ...before.numbers) + 1;
      if (!(await this.#claim(number))) return "again";
      const after = await this.#look(number);
      if (after.holder) {
        await this.release(number);
        return "again";
      }
      // What another user left may not be ours to remove; it counts as little there.
      for (const name of after.abandoned) await rm(join(this.path, name), { force: true }).catch(() => undefined);
      return { number };
    } catch (error) {
      // The last holder took the folder away.
      if (systemCode(error) === "ENOENT") return "again";
      if (busyCodes.has(systemCode(error)) && this.#busy++ < busyAttempts) return "again";
      throw error;
    }
  }

  /** A sign of life, for those who have no other. */
  async beat(number: number): Promise<void> {
    const now = new Date();
    await utimes(this.#at(number), now, now).catch(() => undefined);
  }

  async isOurs(number: number): Promise<boolean> {
    return (await this.#claimAt(String(number)))?.token === this.#token;
  }

  /** Takes a claim back; the last one leaves no folder behind. */
  async release(number: number): Promise<void> {
    if (await this.isOurs(number)) await rm(this.#at(number), { force: true, recursive: true, maxRetries: 5 });
    await rmdir(this.path).catch(() => undefined);
  }

  /** Makes the claim with our name in it from the first moment on; false where that number is taken. */
  async #claim(number: number): Promise<boolean> {
    const draft = join(this.path, `draft-${randomUUID()}`);
    const text = JSON.stringify({ ...(await ownIdentity()), token: this.#token });
    try {
      await writeFile(draft, text, { flag: "wx" });
      await link(draft, this.#at(number)).catch((error: unknown) => {
        if (["EEXIST", "ENOENT"].includes(systemCode(error))) throw error;
        // Not every disk has links: there it has no name in it for a moment, and counts as somebody's.
        return writeFile(this.#at(number), text, { flag: "wx" });
      });
      return true;
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** What is there besides our own claim: numbers, a living holder, and files of processes that are gone. */
  async #look(own?: number): Promise<{ numbers: number[]; holder?: Holder; abandoned: string[] }> {
    const numbers: number[] = [];
    const abandoned: string[] = [];
    const entries = await readdir(this.path, { withFileTypes: true }).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return [];
      throw error;
    });
    for (const entry of entries) {
      const { name } = entry;
      const isClaim = claimName.test(name);
      if (Number(name) === own || !entry.isFile() || !(isClaim || draftName.test(name))) continue;
      if (isClaim) numbers.push(Number(name));
      const claim = await this.#claimAt(name);
      if (!claim) continue;
      if (!(await this.#isAlive(name, claim.maker))) abandoned.push(name);
      else if (isClaim) return { numbers, holder: { pid: claim.maker?.pid }, abandoned };
    }
    return { numbers, abandoned };
  }

  /** Undefined when it is gone; without a maker when it says none. */
  async #claimAt(name: string): Promise<{ maker?: ProcessIdentity; token?: unknown } | undefined> {
    const text = await readFile(join(this.path, name), "utf8").catch((error: unknown) =>
      systemCode(error) === "ENOENT" ? undefined : "",
    );
    if (text === undefined) return undefined;
    try {
      const { pid, start, place, token } = asObject(JSON.parse(text)) ?? {};
      if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1) return {};
      if (typeof start !== "string" || typeof place !== "string") return {};
      return { maker: { pid, start, place }, token };
    } catch {
      return {};
    }
  }

  async #isAlive(name: string, maker: ProcessIdentity | undefined): Promise<boolean> {
    const liveness = maker ? await livenessOf(maker) : "unknown";
    if (liveness !== "unknown") return liveness === "alive";
    const stats = await stat(join(this.path, name)).catch(() => undefined);
    return stats !== undefined && Date.now() - stats.mtimeMs < silenceMs;
  }

  /** A repository may bring a link that leads elsewhere, where we would make and remove files. */
  async #refuseLink(): Promise<void> {
    if ((await lstat(this.path)).isDirectory()) return;
    throw Object.assign(new Error(`${this.path} is no folder of its own`), { code: "ENOTDIR" });
  }

  #at(number: number): string {
    return join(this.path, String(number));
  }
}
