import type { WebSocket } from "ws";
import type { ConnectClient } from "./http-client.js";

/** Unread bytes at which the client's messages stay in the host. */
const mostUnread = 1024 * 1024;
/** Milliseconds between the pings that detect a client without a connection. */
const pingMs = 30_000;

/** Close codes of RFC 6455. */
const closeCodes = { goingAway: 1001, unsupportedData: 1003, tooBig: 1009, internalError: 1011 } as const;

/** Forwards messages between a WebSocket and the host, one message in each text frame, until either side ends. */
export function serveWebSocket(socket: WebSocket, connect: ConnectClient): void {
  let isPaused = false;
  let hasPong = true;
  const host = connect({
    line: (line) => {
      socket.send(line, pace);
      pace();
    },
    oversize: () => socket.close(closeCodes.tooBig),
    end: () => undefined,
    stalled: () => undefined,
  });
  const pace = (): void => {
    const isSlow = socket.bufferedAmount > (isPaused ? mostUnread / 4 : mostUnread);
    if (isSlow === isPaused) return;
    isPaused = isSlow;
    if (isSlow) host.pause();
    else host.resume();
  };
  host.onCongestion(() => (host.isCongested ? socket.pause() : socket.resume()));
  const timer = setInterval(() => {
    if (!hasPong) return socket.terminate();
    hasPong = false;
    socket.ping();
  }, pingMs).unref();
  socket.on("pong", () => (hasPong = true));
  // The socket closes after each error.
  socket.on("error", () => undefined);
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) socket.close(closeCodes.unsupportedData);
    else host.send(data.toString());
  });
  socket.on("close", () => {
    clearInterval(timer);
    void host[Symbol.asyncDispose]();
  });
  void host.exited.then(({ code, startError }) =>
    socket.close(code === null || startError !== undefined ? closeCodes.internalError : closeCodes.goingAway),
  );
}
