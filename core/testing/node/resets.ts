import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Exchange between a client and a listener. */
export interface Exchange {
  readonly sent: string | Buffer;
  /** The listener answers with at least one byte. */
  readonly isAnswered: boolean;
}

/** Numbers of event loop turns before a reset. Each number lets the listener progress to another step. */
const turnsBefore = [0, 1, 3];

/**
 * Resets a connection to the listener of this process on `port` at every step of the exchange: before anything is sent, within
 * and after each line of what is sent, and once the answer has begun. Resolves with the number of connections.
 */
export async function resetAtEveryStep(port: number, { sent, isAnswered }: Exchange): Promise<number> {
  const bytes = Buffer.from(sent);
  let count = 0;
  for (const turns of turnsBefore) {
    for (const end of stepsOf(bytes)) {
      await reset(await open(port, bytes.subarray(0, end)), turns);
      count++;
    }
    if (!isAnswered) continue;
    const socket = await open(port, bytes);
    await once(socket, "data");
    await reset(socket, turns);
    count++;
  }
  return count;
}

async function open(port: number, bytes: Buffer): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  // The listener may be the one that closes.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  if (bytes.length > 0) socket.write(bytes);
  return socket;
}

async function reset(socket: Socket, turns: number): Promise<void> {
  await pass(turns);
  socket.resetAndDestroy();
  await pass(2);
}

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Places within and after each line. */
function stepsOf(bytes: Buffer): number[] {
  const steps = [0];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf("\n", start);
    const end = newline === -1 ? bytes.length : newline + 1;
    if (end - start > 2) steps.push(start + Math.floor((end - start) / 2));
    steps.push(end);
    start = end;
  }
  return steps;
}
