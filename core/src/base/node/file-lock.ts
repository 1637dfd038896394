import { setTimeout as delay } from "node:timers/promises";
import { SymposiumError } from "../symposium-error.js";
import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, readdir, readFile, rm, rmdir, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parsedObject } from "../rpc/json.js";
import { livenessOf, ownIdentity, type ProcessIdentity } from "./process-table.js";
import { makeFolder, systemCode } from "./atomic-write.js";

interface FileLockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Maximum wait for other holders. Default 15 seconds, which is long for a file change. */
  readonly waitMs?: number;
  /** Called once if another process or caller has the lock. */
  readonly onWait?: () => void;
}

const defaultWaitMs = 15_000;
const beatMs = 15_000;
const firstPauseMs = 4;
const longestPauseMs = 100;

/** Exclusive lock on a file or other path, across callers and processes, until disposed. If a process is killed, its lock becomes free. */
export class FileLock implements AsyncDisposable {
  readonly #beat: NodeJS.Timeout;

  private constructor(
    private readonly folder: LockFolder,
    private readonly number: number,
  ) {
    this.#beat = setInterval(() => void folder.beat(number), beatMs);
    this.#beat.unref();
  }

  /** Waits for the lock. Rejects with `locked` on timeout, and if `signal` aborts. */
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

  static async tryTake(file: string): Promise<FileLock | undefined> {
    try {
      return await FileLock.take(file, { waitMs: 0 });
    } catch (error) {
      if (error instanceof SymposiumError && error.code === "locked") return undefined;
      throw error;
    }
  }

  /** Whether this lock is still valid. A process suspended for minutes may have lost a lock on a shared disk. */
  isHeld(): Promise<boolean> {
    return this.folder.isOurs(this.number);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#beat);
    await this.folder.release(this.number);
  }
}

export function lockFolderOf(file: string): string {
  return `${file}.lock`;
}

function locked(file: string, folder: LockFolder, holder: Holder): SymposiumError {
  const who = holder.pid === undefined ? "Another process" : `Another process (pid ${holder.pid})`;
  return new SymposiumError(
    "locked",
    `${who} is changing ${file}.`,
    `Try again; if no other process is running, delete ${folder.path}.`,
  );
}

/** Time without a heartbeat after which an unverifiable holder, such as one in another container, is treated as gone. */
const silenceMs = 5 * 60_000;
/** Error codes for names that Windows is still deleting, usually for a short time. */
const busyCodes = new Set(process.platform === "win32" ? ["EPERM", "EACCES", "EBUSY"] : []);
const busyAttempts = 100;
const claimName = /^[1-9]\d{0,14}$/;
const draftName = /^draft-[\da-f-]{36}$/;

interface Holder {
  readonly pid: number | undefined;
}

type Attempt = { readonly number: number } | { readonly holder: Holder } | "again";

/**
 * Claims to one lock, as numbered files that identify the claiming processes. A new claim takes the next number, which only one process can
 * create. The process then checks for claims of other living processes and withdraws its claim if it finds one, so two processes never have
 * the lock at once. The next holder removes claims of exited processes while its own claim exists; lower numbers aren't reused, so it never
 * deletes a newer claim.
 */
class LockFolder {
  readonly #token = randomUUID();
  #busy = 0;

  constructor(readonly path: string) {}

  async attempt(): Promise<Attempt> {
    const before = await this.#look();
    if (before.holder) return { holder: before.holder };
    // Nothing deletes the parent folder, so an error while creating it is permanent.
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
      // Abandoned claims of other users may not be deletable; every process ignores such claims anyway.
      for (const name of after.abandoned) await rm(join(this.path, name), { force: true }).catch(() => undefined);
      return { number };
    } catch (error) {
      // The last holder has deleted the lock's folder meanwhile.
      if (systemCode(error) === "ENOENT") return "again";
      if (busyCodes.has(systemCode(error)) && this.#busy++ < busyAttempts) return "again";
      throw error;
    }
  }

  /** Renews a claim's timestamp, for processes that have no other way to check whether this process is alive. */
  async beat(number: number): Promise<void> {
    const now = new Date();
    await utimes(this.#at(number), now, now).catch(() => undefined);
  }

  async isOurs(number: number): Promise<boolean> {
    return (await this.#claimAt(String(number)))?.token === this.#token;
  }

  /** Withdraws a claim. Withdrawing the last claim deletes the folder. */
  async release(number: number): Promise<void> {
    if (await this.isOurs(number)) await rm(this.#at(number), { force: true, recursive: true, maxRetries: 5 });
    await rmdir(this.path).catch(() => undefined);
  }

  /** Creates the claim together with its content. Returns false if the number is taken. */
  async #claim(number: number): Promise<boolean> {
    const draft = join(this.path, `draft-${randomUUID()}`);
    const text = JSON.stringify({ ...(await ownIdentity()), token: this.#token });
    try {
      await writeFile(draft, text, { flag: "wx" });
      await link(draft, this.#at(number)).catch((error: unknown) => {
        if (["EEXIST", "ENOENT"].includes(systemCode(error))) throw error;
        // Without hard links, the claim is briefly empty. Other processes treat an empty claim as another process's.
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

  /** Reads a claim. Undefined if the claim no longer exists; `maker` is absent if the content is invalid. */
  async #claimAt(name: string): Promise<{ maker?: ProcessIdentity; token?: unknown } | undefined> {
    const text = await readFile(join(this.path, name), "utf8").catch((error: unknown) =>
      systemCode(error) === "ENOENT" ? undefined : "",
    );
    if (text === undefined) return undefined;
    const { pid, start, place, token } = parsedObject(text) ?? {};
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1) return {};
    if (typeof start !== "string" || typeof place !== "string") return {};
    return { maker: { pid, start, place }, token };
  }

  async #isAlive(name: string, maker: ProcessIdentity | undefined): Promise<boolean> {
    const liveness = maker ? await livenessOf(maker) : "unknown";
    if (liveness !== "unknown") return liveness === "alive";
    const stats = await stat(join(this.path, name)).catch(() => undefined);
    return stats !== undefined && Date.now() - stats.mtimeMs < silenceMs;
  }

  /**
   * Throws if the lock's folder is a symbolic link. A repository may contain such a link, which would redirect file creation and deletion.
   */
  async #refuseLink(): Promise<void> {
    if ((await lstat(this.path)).isDirectory()) return;
    throw Object.assign(new Error(`${this.path} isn't a folder, or is a link`), { code: "ENOTDIR" });
  }

  #at(number: number): string {
    return join(this.path, String(number));
  }
}
