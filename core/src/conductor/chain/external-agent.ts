import { acpMethods } from "../../base/acp/methods.js";
import { withoutOwnMarks } from "../../base/acp/must-ask.js";
import type { Logger } from "../../base/logger.js";
import { Connection } from "../../base/rpc/connection.js";
import { Outcome } from "../../base/rpc/message.js";
import { nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import { type ChainFailure, mistakenFailure } from "./failure.js";
import { askWhetherMcpServer, mayBeOfMcpServer, mcpServerHint } from "./mistaken-component.js";
import { proxyInitializeDialect, successorDialect } from "./proxy-dialect.js";

interface ExternalAgentOptions {
  readonly name: string;
  readonly client: Peer;
  readonly logger: Logger;
  send(line: string): void;
  /** Called once, before `initialize` is answered, if the process isn't an agent. */
  onMistaken(failure: ChainFailure): void;
}

export class ExternalAgent {
  readonly connection: Connection;
  readonly fromClient: Peer;
  #isInitializing = false;

  constructor(options: ExternalAgentOptions) {
    const { name, client, logger } = options;
    this.connection = new Connection({
      send: (line) => options.send(line),
      answersGarbage: false,
      onSkipped: (reason) => logger.warn("skipped a line", { reason }),
      inbound: {
        request: (request, reply) => {
          if (successorDialect(request.method) === undefined && proxyInitializeDialect(request.method) === undefined) {
            const isQuestion = request.method === acpMethods.requestPermission;
            return client.request(isQuestion ? withoutOwnMarks(request) : request, reply);
          }
          reply(Outcome.error(RpcError.invalidRequest(`${request.method} is for proxies, but this is the agent`)));
          return nothingToCancel;
        },
        notify: (notification) => {
          if (successorDialect(notification.method) === undefined) client.notify(notification);
          else logger.warn("dropped a successor envelope from the agent");
        },
      },
    });
    // An agent's own refusal is forwarded, but an MCP server's refusal would not help the user.
    const explainRefusal = (refusal: Outcome, reply: Reply): void =>
      askWhetherMcpServer(this.connection, (isMcpServer) => {
        if (isMcpServer) {
          const cause = refusal.json.object;
          options.onMistaken(mistakenFailure(name, "is an MCP server, not an ACP agent.", mcpServerHint, cause));
        }
        reply(refusal);
      });
    this.fromClient = {
      request: (request, reply) => {
        if (request.method !== acpMethods.initialize) return this.connection.request(request, reply);
        this.#isInitializing = true;
        return this.connection.request(request, (outcome) => {
          this.#isInitializing = false;
          if (mayBeOfMcpServer(outcome)) explainRefusal(outcome, reply);
          else reply(outcome);
        });
      },
      notify: (notification) => this.connection.notify(notification),
    };
  }

  get isInitializing(): boolean {
    return this.#isInitializing;
  }
}
