import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

const heartbeatMs = 30_000;
/** A window whose sign of life is older than this is gone, whatever its pid means by now. */
const staleMs = 120_000;

/**
 * What this window has claimed of a store that several windows may have open: a tab belongs to one window at a time.
 * Claims of a window that is gone are free.
 */
export class WindowClaim implements AsyncDisposable {
  readonly #id = `${process.pid}-${crypto.randomUUID()}`;
  readonly #folder: string;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(storage: string) {
    this.#folder = join(storage, "windows");
  }

  /** Gives the first sign of life; to be called before anything is claimed. */
  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const sign = join(this.#folder, this.#id);
    await writeFile(sign, "");
    this.#timer = setInterval(() => {
      const now = new Date();
      utimes(sign, now, now).catch(() => undefined);
    }, heartbeatMs);
    this.#timer.unref();
  }

  /** Claims a folder. Returns false where another window that lives has it. */
  async claim(folder: string): Promise<boolean> {
    const file = join(folder, "owner");
    try {
      await mkdir(folder, { recursive: true });
      const owner = await readFile(file, "utf8").catch(() => undefined);
      if (owner === this.#id) return true;
      if (owner !== undefined) {
        if (await this.#lives(owner)) return false;
        // Of several that want it only one can move it away.
        const stale = `${file}.${crypto.randomUUID()}`;
        await rename(file, stale);
        await rm(stale, { force: true });
      }
      await writeFile(file, this.#id, { flag: "wx" });
      return true;
    } catch {
      return false;
    }
  }

  async release(folder: string): Promise<void> {
    const file = join(folder, "owner");
    if ((await readFile(file, "utf8").catch(() => undefined)) === this.#id) await rm(file, { force: true });
  }

  /** The window closes: all of its claims are free. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await rm(join(this.#folder, this.#id), { force: true });
  }

  async #lives(id: string): Promise<boolean> {
    const sign = await stat(join(this.#folder, id)).catch(() => undefined);
    if (!sign || Date.now() - sign.mtimeMs > staleMs) return false;
    try {
      process.kill(Number.parseInt(id, 10), 0);
      return true;
    } catch (thrown) {
      return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
    }
  }
}
