import { acpMethods, isSessionSetup } from "../acp/methods.js";
import type { Logger } from "../base/logger.js";
import { messageOf } from "../base/symposium-error.js";
import { ConnectedServer, McpServerFinder, UpstreamCalls } from "../mcp/component-servers.js";
import type { McpBridge, McpExposure, McpServer } from "../mcp/mcp-server.js";
import type { McpServerTable } from "../mcp/server-table.js";
import { isMcpOverAcp, mcpMessageMethod } from "../mcp/wire.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../rpc/json-edit.js";
import { Json } from "../rpc/json.js";
import { Outcome, Request } from "../rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../rpc/peer.js";
import { RpcError } from "../rpc/rpc-error.js";
import type { Link, Neighbours } from "./link.js";
import { NativeMcp } from "./native-mcp.js";
import { openedSessionId, SessionResources } from "./session-resources.js";
import { type AgentMcpAbilities, type BridgedServer, type PlannedServer, planServers } from "./session-servers.js";

interface McpGateOptions {
  readonly neighbours: Neighbours;
  readonly servers: McpServerTable;
  readonly bridge: McpBridge;
  readonly logger: Logger;
  /** True where no agent of ours follows but the rest of another conductor's chain. */
  readonly isProxyMode: boolean;
  /** False where the successor cannot carry the current `mcp/message`, whatever it advertises. */
  canCarryMcp(): boolean;
}

/**
 * The last member before the agent: it gives the agent the MCP servers of the chain in a form the agent
 * takes, natively over ACP, as loopback HTTP or as a stdio program, and says upstream that MCP over ACP works.
 */
export class McpGate implements Link, AsyncDisposable {
  readonly name = "mcp";
  readonly fromClient: Peer;
  readonly fromSuccessor: Peer;
  readonly #calls = new UpstreamCalls();
  readonly #sessions = new SessionResources((fault) => this.#onFault(fault));
  readonly #finder: McpServerFinder;
  readonly #native: NativeMcp;
  readonly #shared = new Map<McpServer, { readonly exposure: Promise<McpExposure>; sessions: number }>();
  #abilities: AgentMcpAbilities = { http: false, sse: false, acp: false };

  constructor(private readonly options: McpGateOptions) {
    const { client, successor } = options.neighbours;
    this.#finder = new McpServerFinder(options.servers, client, this.#calls);
    this.#native = new NativeMcp(this.#finder, successor);
    this.fromClient = {
      request: (request, reply) => this.#requestFromClient(request, reply),
      notify: (notification) => {
        if (!isMcpOverAcp(notification.method) || !this.#calls.deliver(notification)) successor.notify(notification);
      },
    };
    this.fromSuccessor = {
      request: (request, reply) => {
        if (request.method !== mcpMessageMethod) return client.request(request, reply);
        return this.#native.request(request, reply) ?? client.request(request, reply);
      },
      notify: (notification) => client.notify(notification),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]();
  }

  #requestFromClient(request: Request, reply: Reply): Cancel {
    const { successor } = this.options.neighbours;
    if (request.method === acpMethods.initialize) {
      return successor.request(request, (outcome) => reply(this.#initialized(outcome)));
    }
    if (isSessionSetup(request.method)) return this.#setUp(request, reply);
    // Servers of connections call back this way; nothing was promised to them, and the agent never asked.
    if (isMcpOverAcp(request.method) && !this.options.isProxyMode) {
      reply(Outcome.error(RpcError.methodNotFound(request.method)));
      return nothingToCancel;
    }
    return successor.request(request, (outcome) => {
      this.#sessions.observe(request, outcome);
      reply(outcome);
    });
  }

  /** Notes what the agent takes and advertises MCP over ACP; every other capability stays as the agent said it. */
  #initialized(outcome: Outcome): Outcome {
    if (outcome.isError) return outcome;
    const capabilities = memberOf(outcome.json, "agentCapabilities");
    const mcp = (capabilities && memberOf(capabilities, "mcpCapabilities"))?.object ?? {};
    this.#abilities = {
      http: mcp["http"] === true,
      sse: mcp["sse"] === true,
      acp: mcp["acp"] === true && this.options.canCarryMcp(),
    };
    if (mcp["acp"] === true) return outcome;
    return Outcome.result(withMember(outcome.json, ["agentCapabilities", "mcpCapabilities", "acp"], Json.of(true)));
  }

  #setUp(request: Request, reply: Reply): Cancel {
    const params = request.params;
    const entries = params && elementsOf(memberOf(params, "mcpServers") ?? Json.ofText("[]"));
    if (!params || !entries) return this.options.neighbours.successor.request(request, reply);
    const isOurs = (reference: string): boolean =>
      !this.options.isProxyMode || this.options.servers.find(reference) !== undefined;
    const plan = planServers(entries, this.#abilities, isOurs);
    if (plan.problem !== undefined) {
      reply(Outcome.error(RpcError.invalidParams(plan.problem)));
      return nothingToCancel;
    }
    for (const name of plan.dropped) {
      this.options.logger.warn("left out an MCP server that the agent does not accept", { server: name });
    }
    if (plan.isUnchanged) return this.#open(request, reply, []);
    let isCancelled = false;
    let cancel: Cancel = () => {
      isCancelled = true;
    };
    void this.#expose(plan.servers).then(
      ({ declarations, exposures }) => {
        const forwarded = new Request(request.method, withMember(params, ["mcpServers"], arrayOf(declarations)));
        cancel = this.#open(forwarded, reply, exposures);
        if (isCancelled) cancel();
      },
      (fault: unknown) => {
        reply(
          Outcome.error(RpcError.internal(`The MCP servers of this session could not be offered: ${messageOf(fault)}`)),
        );
      },
    );
    return () => cancel();
  }

  #open(request: Request, reply: Reply, resources: readonly AsyncDisposable[]): Cancel {
    return this.options.neighbours.successor.request(request, (outcome) => {
      const sessionId = openedSessionId(request, outcome);
      if (sessionId !== undefined) this.#sessions.open(sessionId, resources);
      else this.#release(resources);
      reply(outcome);
    });
  }

  async #expose(servers: readonly PlannedServer[]): Promise<{ declarations: Json[]; exposures: AsyncDisposable[] }> {
    const declarations: Json[] = [];
    const exposures: AsyncDisposable[] = [];
    try {
      for (const planned of servers) {
        if (planned.kind === "keep") {
          declarations.push(planned.json);
          continue;
        }
        const exposure = await this.#exposeOne(planned, exposures);
        declarations.push(exposure.declaration);
        exposures.push(exposure);
      }
    } catch (fault) {
      this.#release(exposures);
      throw fault;
    }
    return { declarations, exposures };
  }

  #exposeOne(planned: BridgedServer, exposures: AsyncDisposable[]): McpExposure | Promise<McpExposure> {
    const { kind, name, reference } = planned;
    if (kind === "native") return this.#native.declare(name, reference);
    const server = this.#finder.open(name, reference);
    const { isShared = false } = server;
    // Servers of this process belong to the proxy that offers them.
    if (server instanceof ConnectedServer) exposures.push(server);
    return isShared ? this.#exposeShared(server, kind) : this.options.bridge.expose(server, kind);
  }

  /** One address for all sessions that have the server, until the last of them has ended. */
  async #exposeShared(server: McpServer, kind: "http" | "stdio"): Promise<McpExposure> {
    const shared = this.#shared.get(server) ?? { exposure: this.options.bridge.expose(server, kind), sessions: 0 };
    this.#shared.set(server, shared);
    shared.sessions++;
    const leave = async (): Promise<void> => {
      if (--shared.sessions > 0) return;
      this.#shared.delete(server);
      await (await shared.exposure)[Symbol.asyncDispose]();
    };
    try {
      const { declaration } = await shared.exposure;
      return { declaration, [Symbol.asyncDispose]: leave };
    } catch (fault) {
      shared.sessions--;
      this.#shared.delete(server);
      throw fault;
    }
  }

  /** Gives back what belongs to a session that was not opened. */
  #release(resources: readonly AsyncDisposable[]): void {
    for (const resource of resources) {
      resource[Symbol.asyncDispose]().then(undefined, (fault: unknown) => this.#onFault(fault));
    }
  }

  #onFault(fault: unknown): void {
    this.options.logger.warn("an MCP server of a session could not be released", { message: messageOf(fault) });
  }
}
