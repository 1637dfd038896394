import { rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { FileLock } from "./file-lock.js";

const acceptMs = 2_000;
const pauseMs = 25;
/** Time limit for a claim, long enough for a busy machine. */
const claimMs = 15_000;

/**
 * Makes `server` listen at `socket`; at most one process can. Resolves with false if another process already listens. Replaces the socket
 * of a killed process, with `lock` against concurrent replacements.
 */
export async function claimSocket(server: Server, socket: string, lock: string): Promise<boolean> {
  // The lock also covers the start of listening, when a socket briefly exists without accepting connections and would look dead.
  await using _lock = await FileLock.take(lock);
  for (const start = performance.now(); performance.now() - start < claimMs;) {
    if (await listens(server, socket)) return true;
    if (await isServed(socket)) return false;
    // Windows removes unused pipes itself, so only wait.
    if (process.platform === "win32") await delay(pauseMs);
    else await rm(socket, { force: true });
  }
  return false;
}

/** Whether a process accepts connections at `socket`; a full backlog also counts. */
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
