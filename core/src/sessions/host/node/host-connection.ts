import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SymposiumError } from "../../../base/symposium-error.js";
import type { HostAddress } from "./host-address.js";
import type { Hello } from "../host-wire.js";

/** A host may be on its way out while we connect: then another one is started. */
const attempts = 4;
const pauseMs = 50;

/** A connection to the host that is not read yet. */
function openSocket(address: HostAddress): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(address.socket);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

/** Says the first line. */
export function greet(socket: Socket, hello: Hello): void {
  socket.write(`${JSON.stringify(hello)}\n`);
}

/** Connects to the host, and starts it if there is none. `use` resolves with undefined if the host ends before it answers. */
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
    `The host does not start: ${reason}.`,
    `See ${address.logFile}, or set "host" to "off" in config.jsonc.`,
  );
}

/** Asks the host about itself, or to stop. Resolves with its status as JSON, or with undefined if no host runs. */
export async function askHost(address: HostAddress, kind: "status" | "stop"): Promise<string | undefined> {
  const socket = await openSocket(address);
  if (!socket) return undefined;
  greet(socket, { kind, token: address.token });
  let said = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  await new Promise((resolve) => socket.once("close", resolve).on("error", () => undefined));
  return said === "" ? undefined : said;
}
