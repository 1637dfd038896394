import { randomBytes } from "node:crypto";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** How long somebody who listens may take to accept. */
const acceptMs = 2_000;
/** A socket exists a moment before its maker listens: one that is younger is not taken for dead. */
const youngMs = 1_000;
const pauseMs = 25;
/** How long a claim is tried, on a machine that is busy. */
const claimMs = 15_000;

/**
 * Makes `server` listen at `socket`, which at most one process does: the system sees to it. Resolves with false when another
 * one listens there already. What a killed process left behind is taken over.
 */
export async function claimSocket(server: Server, socket: string): Promise<boolean> {
  for (const start = performance.now(); performance.now() - start < claimMs;) {
    if (await listens(server, socket)) return true;
    // Looked at before anybody is asked: only that very socket may be removed as a dead one.
    const found = await SocketFile.at(socket);
    if (await isServed(socket)) return false;
    if (!found?.isOld || !(await found.remove())) await delay(pauseMs);
  }
  return false;
}

/** Whether somebody accepts connections at `socket`, or has too many waiting to be asked. */
export function isServed(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = (isThere: boolean): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(isThere);
    };
    const timer = setTimeout(end, acceptMs, true);
    connection.once("connect", () => end(true));
    connection.once("error", ({ code }: NodeJS.ErrnoException) => end(code !== "ECONNREFUSED" && code !== "ENOENT"));
  });
}

function listens(server: Server, socket: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      server.off("listening", succeed);
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    };
    const succeed = (): void => {
      server.off("error", fail);
      resolve(true);
    };
    server.once("error", fail).once("listening", succeed);
    server.listen({ path: socket, readableAll: false, writableAll: false });
  });
}

/** The socket that stands at a path now. Another one that is made there later is not it. */
class SocketFile {
  private constructor(
    private readonly path: string,
    private readonly identity: string,
    private readonly madeAt: number,
  ) {}

  static async at(path: string): Promise<SocketFile | undefined> {
    const stats = await stat(path, { bigint: true }).catch(() => undefined);
    return stats && new SocketFile(path, `${stats.ino}-${stats.ctimeNs}`, Number(stats.ctimeMs));
  }

  get isOld(): boolean {
    return Date.now() - this.madeAt > youngMs;
  }

  /**
   * Removes it, and nothing that was made in its place meanwhile: at most one living process ever holds the right to remove
   * this very socket. Resolves with false where another one has that right.
   */
  async remove(): Promise<boolean> {
    const rights: string[] = [];
    for (;;) {
      const right = `${this.path}.${this.identity}.${rights.length}`;
      const isOurs = await takeRight(right);
      if (!isOurs && (await isHeld(right))) return false;
      // One that was killed over it leaves the work to the next.
      rights.unshift(right);
      if (!isOurs) continue;
      const now = await SocketFile.at(this.path);
      if (now?.identity === this.identity) await rm(this.path, { force: true });
      for (const each of rights) await rm(each, { force: true });
      return true;
    }
  }
}

/** Whether this process is now the one that has it. */
async function takeRight(right: string): Promise<boolean> {
  const draft = `${right}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, String(process.pid));
  try {
    // It appears with its holder's name in it.
    await link(draft, right);
    return true;
  } catch {
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Whether the process that has it lives; one that gave it back meanwhile counts as living. */
async function isHeld(right: string): Promise<boolean> {
  const holder = Number(await readFile(right, "utf8").catch(() => ""));
  try {
    if (holder > 0) process.kill(holder, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
