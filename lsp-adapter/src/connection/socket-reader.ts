import type { Socket } from "node:net";
import { SocketMessageReader } from "vscode-languageserver-protocol/node";

/** Reads messages of a socket, without the library's timer for unfinished ones, which would outlive the socket for ever. */
export function socketReader(socket: Socket): SocketMessageReader {
  const reader = new SocketMessageReader(socket);
  reader.partialMessageTimeout = 0;
  return reader;
}
