import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SymposiumError } from "../../../base/symposium-error.js";
import type { HostAddress } from "./host-address.js";
import type { SessionStop } from "../host.js";
import type { Hello } from "../host-wire.js";

/** Maximum number of connection attempts. A host may exit while a client connects; the client then starts another host. */
const attempts = 4;
const pauseMs = 50;
/** Milliseconds to wait for an answer from a host that has accepted the connection. */
const answerMs = 5_000;

/** Opens a paused connection to the host. */
function openSocket(address: HostAddress): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(address.socket);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

export function greet(socket: Socket, hello: Hello): void {
  socket.write(`${JSON.stringify(hello)}\n`);
}

/** Connects to the host, starting one if needed. `use` resolves with undefined if the host exits before answering. */
export async function withHost<T>(
  address: HostAddress,
  start: () => Promise<string>,
  use: (socket: Socket) => Promise<T | undefined>,
): Promise<T> {
  let reason = "it ended at once";
  for (let attempt = 0; attempt < attempts; attempt++) {
    const socket = await openSocket(address);
    if (socket) {
      const used = await use(socket);
      if (used !== undefined) return used;
      await delay(pauseMs * 2 ** attempt);
    } else reason = await start();
  }
  throw new SymposiumError(
    "host-failed",
    `The host couldn't start: ${reason}.`,
    `See ${address.logFile}, or set "host" to "off" in config.jsonc.`,
  );
}

/** Asks for the host's status, or stops the host or a session. Resolves with the status as JSON; undefined if no host runs or answers. */
export async function askHost(
  address: HostAddress,
  asked: "status" | "stop" | ({ readonly kind: "stop-session" } & SessionStop),
): Promise<string | undefined> {
  const socket = await openSocket(address);
  if (!socket) return undefined;
  greet(socket, { ...(typeof asked === "string" ? { kind: asked } : asked), token: address.token });
  socket.setTimeout(answerMs, () => socket.destroy());
  let said = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  await new Promise((resolve) => socket.once("close", resolve).on("error", () => undefined));
  return said === "" ? undefined : said;
}
