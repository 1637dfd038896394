import { rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { FileLock } from "./file-lock.js";

/** How long somebody who listens may take to accept. */
const acceptMs = 2_000;
const pauseMs = 25;
/** How long a claim is tried, on a machine that is busy. */
const claimMs = 15_000;

/**
 * Makes `server` listen at `socket`, which at most one process does: the system ensures it. Resolves with false if another
 * process listens there already. A socket that a killed process left behind is replaced; `lock` keeps others from replacing it too.
 */
export async function claimSocket(server: Server, socket: string, lock: string): Promise<boolean> {
  // Held while it begins to listen, too: a socket exists a moment before, and must not be taken for a dead one then.
  await using _lock = await FileLock.take(lock);
  for (const start = performance.now(); performance.now() - start < claimMs;) {
    if (await listens(server, socket)) return true;
    if (await isServed(socket)) return false;
    // A pipe of Windows goes by itself.
    if (process.platform === "win32") await delay(pauseMs);
    else await rm(socket, { force: true });
  }
  return false;
}

/** Whether somebody accepts connections at `socket`, or has too many waiting to be asked. */
function isServed(socket: string): Promise<boolean> {
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
