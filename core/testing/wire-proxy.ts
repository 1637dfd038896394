import type { OversizeLine } from "../src/base/line-splitter.js";
import type { McpServer } from "../src/base/mcp/mcp-server.js";
import { cancelRequestMethod, Connection } from "../src/base/rpc/connection.js";
import { Frame } from "../src/base/rpc/frame.js";
import { Json } from "../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../src/base/rpc/message.js";
import { type Cancel, nothingToCancel, type Reply } from "../src/base/rpc/peer.js";
import { RpcError } from "../src/base/rpc/rpc-error.js";
import type { Faults } from "./faults.js";
import { shouted, signed } from "./scripted-proxies.js";
import type { WireDialect } from "./wire-dialect.js";
import { WireMcpServer } from "./wire-mcp-server.js";

export interface WireProxyOptions {
  readonly dialect: WireDialect;
  /** Queues one line toward the conductor. */
  send(line: string): void;
  readonly faults: Faults;
  /** Signs every `_test/echo` request with this name. */
  readonly name?: string;
  /** Offered to every session. */
  readonly mcpServer?: McpServer;
  readonly serverId?: string;
  /** Puts the text of updates into capitals. */
  readonly shouts?: boolean;
  /** Exits with 9 when this method arrives, from either side. */
  readonly crashesOn?: string;
  /** Takes no further input once `initialize` is answered. */
  readonly stopsReading?: boolean;
}

/** A proxy as it behaves in a process of its own: everything it does not handle passes unchanged, under its own ids. */
export class WireProxy {
  readonly #connection: Connection;
  readonly #mcp: WireMcpServer | undefined;
  #isInitialized = false;

  constructor(private readonly options: WireProxyOptions) {
    const { mcpServer, dialect, serverId } = options;
    this.#mcp = mcpServer && new WireMcpServer(mcpServer, dialect, serverId ?? crypto.randomUUID());
    this.#connection = new Connection({
      send: (line) => options.send(line),
      answersGarbage: true,
      inbound: {
        request: (request, reply) => this.#request(request, reply),
        notify: (notification) => this.#notification(notification),
      },
    });
  }

  receive(line: string): void {
    this.#connection.receive(line);
  }

  receiveOversize(line: OversizeLine, maxBytes: number): void {
    this.#connection.receiveOversize(line, maxBytes);
  }

  #request(request: Request, reply: Reply): Cancel {
    const { dialect } = this.options;
    if (request.method !== dialect.successor) return this.#requestFromClient(request, reply);
    const inner = unwrapped(request.params);
    if (inner === undefined) return refuse(reply, RpcError.invalidParams("missing field `method`"));
    if (inner.method === dialect.successor) {
      return refuse(reply, RpcError.invalidRequest(`\`${dialect.successor}\` inside \`${dialect.successor}\``));
    }
    this.#crashIfAsked(inner.method);
    const forMcp = this.#mcp?.request(inner, reply, (notification) => this.#toSuccessor(notification));
    return forMcp ?? this.#connection.request(inner, reply);
  }

  #requestFromClient(request: Request, reply: Reply): Cancel {
    const { dialect, name } = this.options;
    this.#crashIfAsked(request.method);
    if (request.method === dialect.initialize) return this.#initialize(request, reply);
    if (!this.#isInitialized) return this.#refuseGreeting(request, reply);
    const forMcp = this.#mcp?.request(request, reply, (notification) => this.#connection.notify(notification));
    if (forMcp) return forMcp;
    const declared = this.#mcp?.declaredIn(request) ?? request;
    const forwarded = name !== undefined && request.method === "_test/echo" ? signed(declared, name) : declared;
    return this.#connection.request(this.#wrapped(forwarded), reply);
  }

  #initialize(request: Request, reply: Reply): Cancel {
    this.#isInitialized = true;
    return this.#connection.request(this.#wrapped(new Request("initialize", request.params)), (outcome) => {
      reply(outcome);
      if (this.options.stopsReading === true) this.options.faults.stopReading();
    });
  }

  /** The ways in which the published implementations of each generation take a request before theirs. */
  #refuseGreeting(request: Request, reply: Reply): Cancel {
    const { dialect, faults } = this.options;
    switch (dialect.onWrongGreeting) {
      case "exit":
        faults.writeStderr('Error: Invalid request: "expected `initialize` request"\n');
        faults.exit(1);
        return nothingToCancel;
      case "methodNotFound":
        return refuse(reply, RpcError.methodNotFound(request.method));
      case "invalidRequest":
        return refuse(reply, new RpcError(-32600, "Invalid request", `expected \`${dialect.initialize}\` request`));
    }
  }

  #notification(notification: Notification): void {
    if (notification.method !== this.options.dialect.successor) {
      this.#crashIfAsked(notification.method);
      if (this.#mcp?.notify(notification) !== true) this.#toSuccessor(notification);
      return;
    }
    const inner = unwrapped(notification.params);
    if (inner === undefined || inner.method === this.options.dialect.successor) return;
    this.#crashIfAsked(inner.method);
    const unpacked = new Notification(inner.method, inner.params);
    if (inner.method === cancelRequestMethod) this.#connection.cancelIncoming(inner.params);
    else if (this.#mcp?.notify(unpacked) !== true) {
      this.#connection.notify(this.options.shouts === true ? shouted(unpacked) : unpacked);
    }
  }

  #toSuccessor(notification: Notification): void {
    this.#connection.notify(new Notification(this.options.dialect.successor, envelope(notification)));
  }

  #wrapped(request: Request): Request {
    return new Request(this.options.dialect.successor, envelope(request));
  }

  #crashIfAsked(method: string): void {
    if (method !== this.options.crashesOn) return;
    this.options.faults.writeStderr(`scripted crash on ${method}\n`);
    this.options.faults.exit(9);
  }
}

function envelope(call: Request | Notification): Json {
  const params = call.params === undefined ? "" : `,"params":${call.params.text}`;
  return Json.ofText(`{"method":${JSON.stringify(call.method)}${params}}`);
}

/** The call inside an envelope, its parameters as raw text; null parameters are none. */
function unwrapped(params: Json | undefined): Request | undefined {
  const frame = params && Frame.scan(params.text);
  const method = frame?.methodName;
  if (frame === undefined || method === undefined) return undefined;
  const text = frame.params.isPresent ? frame.params.of(frame.text) : "null";
  return new Request(method, text === "null" ? undefined : Json.ofText(text));
}

function refuse(reply: Reply, error: RpcError): Cancel {
  reply(Outcome.error(error));
  return nothingToCancel;
}
