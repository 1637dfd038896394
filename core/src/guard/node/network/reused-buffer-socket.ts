import { connect, type NetConnectOpts, type Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

/** Bytes of the buffer, about as many as loopback delivers at once. Unused pages of the buffer take no memory. */
const bufferBytes = 256 * 1024;

/** Consumes bytes, which are overwritten after the call. Returns false to pause reading until the socket is resumed. */
type Taker = (bytes: Buffer) => boolean;

/** Consumers of the sockets with a buffer; undefined while a socket is read as a stream. */
const takers = new WeakMap<Readable, Taker | undefined>();

/**
 * Connects a socket that reads into one reused buffer, since allocating a buffer for each read doubles the cost. The socket is a normal
 * stream with copied bytes until {@link pour} is called.
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

/** Pipes one stream into another, like `from.pipe(to)`. Doesn't copy the bytes if {@link connectWithBuffer} created `from`. */
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
    // Pause while the buffer contains bytes that the system hasn't accepted yet.
    isHeld = to.writableLength > 0;
    return !isHeld;
  });
  from.on("end", () => to.end());
  from.resume();
}
