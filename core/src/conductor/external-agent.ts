import { acpMethods } from "../acp/methods.js";
import type { Logger } from "../base/logger.js";
import { Connection } from "../rpc/connection.js";
import { Outcome } from "../rpc/message.js";
import { nothingToCancel, type Peer } from "../rpc/peer.js";
import { RpcError } from "../rpc/rpc-error.js";
import { proxyInitializeDialect, successorDialect } from "./proxy-dialect.js";

export interface ExternalAgentOptions {
  readonly name: string;
  readonly client: Peer;
  readonly logger: Logger;
  send(line: string): void;
}

/** An agent in another process: plain ACP, the end of the chain. */
export class ExternalAgent {
  readonly connection: Connection;
  /** What the neighbour toward the editor calls. */
  readonly fromClient: Peer;
  #isInitializing = false;

  constructor(options: ExternalAgentOptions) {
    const { client, logger } = options;
    this.connection = new Connection({
      send: (line) => options.send(line),
      answersGarbage: false,
      onSkipped: (reason) => logger.warn("skipped a line", { reason }),
      inbound: {
        request: (request, reply) => {
          if (successorDialect(request.method) === undefined && proxyInitializeDialect(request.method) === undefined) {
            return client.request(request, reply);
          }
          reply(Outcome.error(RpcError.invalidRequest(`${request.method} is for proxies, and this is the agent`)));
          return nothingToCancel;
        },
        notify: (notification) => {
          if (successorDialect(notification.method) === undefined) client.notify(notification);
          else logger.warn("dropped a successor envelope from the agent");
        },
      },
    });
    this.fromClient = {
      request: (request, reply) => {
        if (request.method !== acpMethods.initialize) return this.connection.request(request, reply);
        this.#isInitializing = true;
        return this.connection.request(request, (outcome) => {
          this.#isInitializing = false;
          reply(outcome);
        });
      },
      notify: (notification) => this.connection.notify(notification),
    };
  }

  /** Whether `initialize` reached it and no answer came back yet. */
  get isInitializing(): boolean {
    return this.#isInitializing;
  }
}
