import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type LspAdapterOptions, SymposiumError, messageOf } from "@symposium-dev/core";
import { inTime, startDetached } from "@symposium-dev/core/node";
import { adapterAddress } from "./adapter-address.js";
import { AdapterConnection } from "./adapter-connection.js";

/** Maximum number of connection attempts. An adapter may exit while a client connects; the client then starts another adapter. */
const attempts = 4;
const pauseMs = 50;

/** Connects to the folder's adapter process, starting one if needed. Rejects with `ide-operation-failed`. */
export async function connectOrStart(options: LspAdapterOptions): Promise<AdapterConnection> {
  const env = { ...process.env, ...options.self.env };
  const address = await adapterAddress(options.folder, options.settings, env);
  const { socket, logFile } = address;
  let reason = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    const opened = await open(socket);
    if (opened instanceof Error) {
      reason = opened.message;
      await startAdapter(options, logFile);
      continue;
    }
    const connection = new AdapterConnection(opened);
    try {
      await connection.introduce(address);
      return connection;
    } catch (error) {
      connection[Symbol.dispose]();
      if (error instanceof SymposiumError) throw error;
      reason = messageOf(error);
      await delay(pauseMs * 2 ** attempt);
    }
  }
  throw new SymposiumError(
    "ide-operation-failed",
    `Can't reach the language-server adapter: ${reason}`,
    `See ${logFile}.`,
  );
}

function open(path: string): Promise<Socket | Error> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", resolve);
  });
}

/** Maximum milliseconds until the process serves the workspace. */
const startMs = 20_000;

/**
 * Starts a detached adapter process. Waits until this process, or another one that a session has started in the meantime, serves the
 * workspace. Rejects with `ide-operation-failed`.
 */
async function startAdapter({ folder, self, settings, sandbox }: LspAdapterOptions, logFile: string): Promise<void> {
  const args = [...self.args, "lsp", "--folder", folder];
  const input = settings === undefined ? "" : JSON.stringify(settings);
  const answer = sandbox
    ? await inTime(sandbox.start([self.command, ...args], input), startMs)
    : await startDetached(
        { command: self.command, args, env: self.env, cwd: dirname(logFile) },
        { env: process.env, input, readyMs: startMs },
      );
  if (answer === "ready") return;
  throw new SymposiumError(
    "ide-operation-failed",
    `The language-server adapter did not start: ${answer}`,
    `See ${logFile}.`,
  );
}
