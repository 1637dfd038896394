import { isDoneWithin } from "../../../base/until-aborted.js";
import { timingSafeEqual } from "node:crypto";
import { createServer, type Socket } from "node:net";
import type { ChannelHandlers } from "../../../base/line-channel-contract.js";
import type { Logger } from "../../../base/logger.js";
import { claimSocket } from "../../../base/node/claim-socket.js";
import { streamChannel } from "../../../base/node/stdio-channel.js";
import { Connection } from "../../../base/rpc/connection.js";
import { Outcome } from "../../../base/rpc/message.js";
import { RpcError } from "../../../base/rpc/rpc-error.js";
import type { ClientStart, Host } from "../host.js";
import { type HostLine, ownLine, readHello } from "../host-wire.js";
import type { HostAddress } from "./host-address.js";

/** Default maximum of characters to buffer for a slow client. */
const usualMaxWaiting = 8 * 1024 * 1024;
/** Milliseconds to wait for a connection's first line. */
const helloMs = 5_000;
/** Maximum characters of the first line, which contains an environment. */
const maxHello = 8 * 1024 * 1024;
/** Milliseconds to deliver the last messages to a client. */
const flushMs = 2_000;

interface HostServerOptions {
  readonly host: Host;
  readonly address: HostAddress;
  readonly maxLineBytes: number;
  /** Maximum characters to buffer for a client; default: 8 Mi. */
  readonly maxWaiting?: number | undefined;
  readonly logger: Logger;
  /** Returns the answer to `host status` as JSON. */
  readonly status: () => string;
  readonly onStop: () => void;
}

type Channel = ReturnType<typeof streamChannel>;

/** Listens at the host's address and accepts connections with the token. */
export class HostServer implements AsyncDisposable {
  readonly #server = createServer((socket) => this.#accept(socket));
  /** Functions that close a connection with a reason. */
  readonly #closers = new Set<(reason: string) => Promise<void>>();

  constructor(private readonly options: HostServerOptions) {}

  /** Starts listening; returns false if another host is already listening. */
  listen(): Promise<boolean> {
    const { socket, lock } = this.options.address;
    return claimSocket(this.#server, socket, lock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await Promise.all([...this.#closers].map((close) => close("the host was stopped")));
  }

  #accept(socket: Socket): void {
    let served: ChannelHandlers | undefined;
    let characters = 0;
    const timer = setTimeout(() => socket.destroy(), helloMs);
    socket.on("data", (chunk: string) => {
      if (!served && (characters += chunk.length) > maxHello) socket.destroy();
    });
    const channel = streamChannel(socket, socket, {
      maxLineBytes: this.options.maxLineBytes,
      maxWaiting: this.options.maxWaiting ?? usualMaxWaiting,
      handlers: {
        line: (line) => {
          clearTimeout(timer);
          if (served) served.line(line);
          else served = this.#greeted(line, channel, socket);
        },
        oversize: (line) => (served ? served.oversize(line) : void socket.destroy()),
        end: () => {
          clearTimeout(timer);
          served?.end();
          socket.destroy();
        },
      },
    });
  }

  /** Handles the first line; returns the handlers for later lines. */
  #greeted(line: string, channel: Channel, socket: Socket): ChannelHandlers | undefined {
    const hello = readHello(line);
    if (!hello || !isEqual(hello.token, this.options.address.token)) {
      this.options.logger.warn("a connection was refused");
      socket.destroy();
      return undefined;
    }
    if (hello.kind === "client") return this.#serve(hello, channel);
    if (hello.kind === "stop-session") this.options.host.stop(hello);
    channel.send(this.options.status());
    void channel.flushed().then(() => channel[Symbol.dispose]());
    if (hello.kind === "stop") this.options.onStop();
    return { line: () => undefined, oversize: () => undefined, end: () => undefined };
  }

  #serve(start: ClientStart, channel: Channel): ChannelHandlers {
    const { host, maxLineBytes } = this.options;
    const say = (line: HostLine): void => channel.send(`${ownLine}${JSON.stringify(line)}`);
    const connection = new Connection({
      send: (line) => channel.send(line),
      inbound: {
        request: (request, reply) => client.fromClient.request(request, reply),
        notify: (notification) => client.fromClient.notify(notification),
      },
      answersGarbage: true,
    });
    const leave = (): void => {
      this.#closers.delete(close);
      client.leave();
      connection.close(Outcome.error(RpcError.internal("The client disconnected.")));
    };
    const close = async (reason: string): Promise<void> => {
      leave();
      say({ kind: "exit", code: 1, reason });
      await isDoneWithin(channel.flushed(), flushMs);
      channel[Symbol.dispose]();
    };
    const client = host.connect(start, {
      peer: connection,
      isCongested: () => channel.isCongested,
      pause: (isPaused) => (isPaused ? channel.pause() : channel.resume()),
      print: (text) => say({ kind: "print", text }),
      close: (reason) => void close(reason),
    });
    this.#closers.add(close);
    channel.onCongestion(() => host.congestionChanged(client));
    say({ kind: "ready" });
    return {
      line: (line) => connection.receive(line),
      oversize: (line) => connection.receiveOversize(line, maxLineBytes),
      end: leave,
    };
  }
}

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
