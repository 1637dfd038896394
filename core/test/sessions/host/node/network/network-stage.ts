import { client, methods, PROTOCOL_VERSION, type ClientConnection, type Stream } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket } from "ws";
import type { ProcessExit } from "../../../../../src/base/component-process.js";
import { Logger } from "../../../../../src/base/logger.js";
import { Connection } from "../../../../../src/base/rpc/connection.js";
import { Outcome } from "../../../../../src/base/rpc/message.js";
import { RpcError } from "../../../../../src/base/rpc/rpc-error.js";
import type { ConnectClient } from "../../../../../src/sessions/host/node/network/http-client.js";
import { NetworkListener } from "../../../../../src/sessions/host/node/network/network-listener.js";
import { HostStage } from "../../host-stage.js";

const token = "a".repeat(64);
export const authorized = { Authorization: `Bearer ${token}` };

type Options = Partial<ConstructorParameters<typeof NetworkListener>[0]>;

/** A listener whose clients reach a host of this process. */
export class NetworkStage implements AsyncDisposable {
  readonly host = new HostStage();
  readonly listener: NetworkListener;
  /** Times that a client's messages were kept back. */
  pauses = 0;
  /** Set while the host takes no messages. */
  isCongested = false;
  port = 0;
  readonly #connections: ClientConnection[] = [];
  #tell: () => void = () => undefined;

  private constructor(options: Options) {
    this.listener = new NetworkListener({
      admission: { token, origins: new Set(["https://app.example"]) },
      connect: this.#connect,
      maxMessageBytes: 1024 * 1024,
      logger: Logger.silent,
      ...options,
    });
  }

  static async open(options: Options = {}): Promise<NetworkStage> {
    const stage = new NetworkStage(options);
    stage.port = await stage.listener.listen({ ip: "127.0.0.1", port: 0 });
    return stage;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/acp`;
  }

  /** Lets the host take messages again. */
  drain(): void {
    this.isCongested = false;
    this.#tell();
  }

  readonly #connect: ConnectClient = (handlers) => {
    const isCongested = (): boolean => this.isCongested;
    let resolve: (exit: ProcessExit) => void;
    const exited = new Promise<ProcessExit>((settle) => (resolve = settle));
    const connection = new Connection({
      send: (line) => handlers.line(line),
      inbound: {
        request: (request, reply) => hosted.fromClient.request(request, reply),
        notify: (notification) => hosted.fromClient.notify(notification),
      },
      answersGarbage: true,
    });
    const end = (): void => {
      hosted.leave();
      connection.close(Outcome.error(RpcError.internal("The client disconnected.")));
      resolve({ code: 0, signal: null, stderrTail: "" });
    };
    const hosted = this.host.host.connect(
      { words: ["run"], cwd: "/w", env: {} },
      { peer: connection, isCongested: () => false, pause: () => undefined, print: () => undefined, close: end },
    );
    return {
      pid: undefined,
      exited,
      send: (line) => connection.receive(line),
      get isCongested() {
        return isCongested();
      },
      onCongestion: (listener) => (this.#tell = listener),
      pause: () => this.pauses++,
      resume: () => undefined,
      [Symbol.asyncDispose]: () => {
        end();
        return Promise.resolve();
      },
    };
  };

  /** Resolves when the host has that many clients. */
  async hasClients(count: number): Promise<void> {
    while (this.host.host.clientCount !== count) await new Promise((resolve) => setImmediate(resolve));
  }

  http(): Stream {
    return createHttpStream(this.url, { headers: authorized });
  }

  webSocket(): Stream {
    const options = { headers: authorized, WebSocket: WebSocket as unknown as typeof globalThis.WebSocket };
    return createWebSocketStream(this.url.replace("http", "ws"), options);
  }

  /** Connects the SDK's client, which allows everything, and collects the texts that it gets. */
  async join(stream: Stream, texts: string[] = []): Promise<ClientConnection> {
    const connection = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params: { update } }) => {
        if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
          texts.push(update.content.text);
        }
      })
      .onRequest(methods.client.session.requestPermission, () => ({
        outcome: { outcome: "selected" as const, optionId: "yes" },
      }))
      .connect(stream);
    this.#connections.push(connection);
    await connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    return connection;
  }

  post(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.url, {
      method: "POST",
      headers: { ...authorized, "Content-Type": "application/json", ...headers },
      body,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections) connection.close();
    await this.listener[Symbol.asyncDispose]();
  }
}
