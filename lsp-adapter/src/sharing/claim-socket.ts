import { randomBytes } from "node:crypto";
import { link, rename, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";

/** How long somebody who listens may take to accept. */
const acceptMs = 2_000;

/**
 * Makes `server` listen at `socket`, which at most one process does: the system sees to it. Resolves with false when another
 * one listens there already. What a killed process left behind is taken over.
 */
export async function claimSocket(server: Server, socket: string): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt++) {
    if (await listens(server, socket)) return true;
    if (await isServed(socket)) return false;
    await removeDead(socket);
  }
  return false;
}

/** Whether somebody accepts connections at `socket`. */
export function isServed(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = (isThere: boolean): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(isThere);
    };
    const timer = setTimeout(end, acceptMs, true);
    connection.once("connect", () => end(true)).once("error", () => end(false));
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

/** Removes a socket that nobody serves. Between our look and the removal another process may have made it anew: that one is put back. */
async function removeDead(socket: string): Promise<void> {
  const aside = `${socket}.${randomBytes(4).toString("hex")}`;
  try {
    await rename(socket, aside);
  } catch {
    return; // Somebody else was faster.
  }
  if (await isServed(aside)) await link(aside, socket).catch(() => undefined);
  await rm(aside, { force: true });
}
