import { connect, type NetConnectOpts, type Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

/** As much as loopback has ready at once. What is not written to takes no memory. */
const bufferBytes = 256 * 1024;

/** Takes bytes that are overwritten afterwards, unless it returns false: then nothing is read until the socket is resumed. */
type Taker = (bytes: Buffer) => boolean;

/** Of sockets with a buffer; undefined for those that are read as streams. */
const takers = new WeakMap<Readable, Taker | undefined>();

/**
 * Connects, with a socket that reads into one buffer of its own: a new one for each read takes as long as all else together. It
 * is a stream like any other, whose bytes are copied, until {@link pour} takes them.
 */
export function connectWithBuffer(options: NetConnectOpts): Socket {
  const socket: Socket = connect({
    ...options,
    onread: {
      buffer: Buffer.allocUnsafeSlow(bufferBytes),
      callback: (count, buffer) => {
        const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, count);
        const take = takers.get(socket);
        return take ? take(bytes) : socket.push(Buffer.from(bytes));
      },
    },
  });
  takers.set(socket, undefined);
  return socket;
}

/** What `from.pipe(to)` does, without a copy where `from` was made by {@link connectWithBuffer}. */
export function pour(from: Readable, to: Writable): void {
  if (!takers.has(from)) {
    from.pipe(to);
    return;
  }
  for (let early: unknown = from.read(); early !== null; early = from.read()) to.write(early);
  let isHeld = false;
  const written = (): void => {
    if (!isHeld || to.writableLength > 0) return;
    isHeld = false;
    from.resume();
  };
  takers.set(from, (bytes) => {
    to.write(bytes, written);
    // Bytes that the system has not taken yet lie in the buffer.
    isHeld = to.writableLength > 0;
    return !isHeld;
  });
  from.on("end", () => to.end());
  from.resume();
}
