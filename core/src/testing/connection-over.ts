import { defaultMaxLineBytes } from "../base/line-splitter.js";
import { Connection } from "../rpc/connection.js";
import { Outcome } from "../rpc/message.js";
import type { Peer } from "../rpc/peer.js";
import { RpcError } from "../rpc/rpc-error.js";
import type { StartableChannel } from "./memory-channel.js";

export interface ConnectionOverOptions {
  /** Whether the other side hears of lines that cannot be read; true when absent. */
  readonly answersGarbage?: boolean;
  /** Characters a line may have when the channel enforces a limit. */
  readonly maxLineBytes?: number;
  onSkipped?(reason: string): void;
  /** The other side's output has ended, and what waited for it has been answered. */
  onEnd?(): void;
}

/**
 * JSON-RPC over `channel`, started at once. `inbound` receives what the other side asks; give a function where
 * it needs the connection itself. The end of input answers everything that waits with an internal error.
 */
export function connectionOver(
  channel: StartableChannel,
  inbound: Peer | ((neighbour: Connection) => Peer),
  options: ConnectionOverOptions = {},
): Connection {
  const connection: Connection = new Connection({
    send: (line) => channel.send(line),
    inbound: { request: (request, reply) => peer.request(request, reply), notify: (message) => peer.notify(message) },
    answersGarbage: options.answersGarbage ?? true,
    onSkipped: (reason) => options.onSkipped?.(reason),
  });
  const peer = typeof inbound === "function" ? inbound(connection) : inbound;
  channel.start({
    line: (line) => connection.receive(line),
    oversize: (line) => connection.receiveOversize(line, options.maxLineBytes ?? defaultMaxLineBytes),
    end: () => {
      connection.close(Outcome.error(RpcError.internal("the other side closed the connection")));
      options.onEnd?.();
    },
  });
  return connection;
}
