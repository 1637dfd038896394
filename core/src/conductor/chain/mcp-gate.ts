import { acpMethods, isSessionSetup } from "../../base/acp/methods.js";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import { ConnectedServer, McpServerFinder, UpstreamCalls } from "../../base/mcp/mcp-over-acp-client.js";
import {
  type McpBridge,
  type McpExposure,
  mcpResult,
  type McpServer,
  type RefuseTool,
} from "../../base/mcp/mcp-server.js";
import type { McpServerTable } from "../../base/mcp/server-table.js";
import { isMcpOverAcp, mcpMessageMethod, mcpMethods, mcpOverAcpErrorCodes } from "../../base/mcp/wire.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { Json, stringOf, textOf } from "../../base/rpc/json.js";
import { Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, deferredRequest, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { Link, Neighbours } from "./link.js";
import type { CallingSession, ProxyHandlers } from "./proxy.js";
import { McpOverAcpServer } from "./mcp-over-acp-server.js";
import { openedSessionId, SessionResources } from "./session-resources.js";
import { type AgentMcpAbilities, type BridgedServer, type PlannedServer, planServers } from "./mcp-transports.js";
import { failedTool } from "../../base/mcp/tool-server.js";

interface McpGateOptions {
  readonly neighbours: Neighbours;
  readonly servers: McpServerTable;
  readonly bridge: McpBridge;
  readonly logger: Logger;
  readonly toolJudges: readonly NonNullable<ProxyHandlers["refuseTool"]>[];
  /** Whether this gate precedes the rest of another conductor's chain instead of an agent. */
  readonly isProxyMode: boolean;
  /** Whether the successor supports the current `mcp/message`, regardless of its announced capabilities. */
  canCarryMcp(): boolean;
}

/**
 * Last member before the agent. Offers the chain's MCP servers to the agent in a supported form (natively over ACP, as loopback HTTP or as
 * a stdio program), and announces MCP over ACP upstream.
 */
export class McpGate implements Link, AsyncDisposable {
  readonly name = "mcp";
  readonly fromClient: Peer;
  readonly fromSuccessor: Peer;
  readonly #calls = new UpstreamCalls();
  readonly #sessions = new SessionResources((fault) => this.#onFault(fault));
  readonly #finder: McpServerFinder;
  readonly #mcpOverAcp: McpOverAcpServer;
  readonly #shared = new Map<
    McpServer,
    { readonly exposure: Promise<McpExposure>; readonly sessions: Set<CallingSession> }
  >();
  #abilities: AgentMcpAbilities = { http: false, sse: false, acp: false };

  constructor(private readonly options: McpGateOptions) {
    const { client, successor } = options.neighbours;
    this.#finder = new McpServerFinder(options.servers, client, this.#calls);
    this.#mcpOverAcp = new McpOverAcpServer(
      this.#finder,
      successor,
      options.toolJudges.length > 0,
      (server, sessions) => this.#judged(server, sessions),
    );
    this.fromClient = {
      request: (request, reply) => this.#requestFromClient(request, reply),
      notify: (notification) => {
        if (!isMcpOverAcp(notification.method) || !this.#calls.deliver(notification)) successor.notify(notification);
      },
    };
    this.fromSuccessor = {
      request: (request, reply) => {
        if (!isMcpOverAcp(request.method)) return client.request(request, reply);
        const own = request.method === mcpMessageMethod ? this.#mcpOverAcp.request(request, reply) : undefined;
        return own ?? this.#unclaimed(request, reply);
      },
      notify: (notification) => client.notify(notification),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]();
  }

  /** Handles a call to a server without an open session. Denies the call if checks exist, since none could be applied. */
  #unclaimed(request: Request, reply: Reply): Cancel {
    const { neighbours, toolJudges, isProxyMode } = this.options;
    if (toolJudges.length === 0 || isProxyMode) return neighbours.client.request(request, reply);
    reply(Outcome.error(new RpcError(mcpOverAcpErrorCodes.unknownServer, "No open session has this MCP server")));
    return nothingToCancel;
  }

  #requestFromClient(request: Request, reply: Reply): Cancel {
    const { successor } = this.options.neighbours;
    if (request.method === acpMethods.initialize) {
      return successor.request(request, (outcome) => reply(this.#initialized(outcome)));
    }
    if (isSessionSetup(request.method)) return this.#setUp(request, reply);
    // Connection-based MCP servers send requests in MCP-over-ACP messages, but the agent never announced support for them.
    if (isMcpOverAcp(request.method) && !this.options.isProxyMode) {
      reply(Outcome.error(RpcError.methodNotFound(request.method)));
      return nothingToCancel;
    }
    return successor.request(request, (outcome) => {
      this.#sessions.observe(request, outcome);
      reply(outcome);
    });
  }

  /** Records the agent's MCP capabilities and announces MCP over ACP; other capabilities stay unmodified. */
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
      this.options.logger.warn("left out an MCP server that the agent doesn't support", { server: name });
    }
    const session = openingSession(params);
    if (plan.isUnchanged) return this.#open(request, reply, [], session);
    const exposed = this.#expose(plan.servers, session).catch((fault: unknown) => {
      const problem = `The MCP servers of this session could not be offered: ${messageOf(fault)}`;
      reply(Outcome.error(RpcError.internal(problem)));
      return undefined;
    });
    return deferredRequest(exposed, (found) => {
      if (!found) return undefined;
      const forwarded = new Request(request.method, withMember(params, ["mcpServers"], arrayOf(found.declarations)));
      return this.#open(forwarded, reply, found.exposures, session);
    });
  }

  #open(
    request: Request,
    reply: Reply,
    resources: readonly AsyncDisposable[],
    session: { sessionId: string | undefined },
  ): Cancel {
    return this.options.neighbours.successor.request(request, (outcome) => {
      const sessionId = openedSessionId(request, outcome);
      session.sessionId = sessionId;
      if (sessionId !== undefined) this.#sessions.open(sessionId, resources);
      else this.#release(resources);
      reply(outcome);
    });
  }

  async #expose(
    servers: readonly PlannedServer[],
    session: CallingSession,
  ): Promise<{ declarations: Json[]; exposures: AsyncDisposable[] }> {
    const declarations: Json[] = [];
    const exposures: AsyncDisposable[] = [];
    try {
      for (const planned of servers) {
        if (planned.kind === "keep") {
          declarations.push(planned.json);
          continue;
        }
        const exposure = await this.#exposeOne(planned, session, exposures);
        declarations.push(exposure.declaration);
        exposures.push(exposure);
      }
    } catch (fault) {
      this.#release(exposures);
      throw fault;
    }
    return { declarations, exposures };
  }

  #exposeOne(
    planned: BridgedServer,
    session: CallingSession,
    exposures: AsyncDisposable[],
  ): McpExposure | Promise<McpExposure> {
    const { kind, name, reference } = planned;
    if (kind === "native") return this.#mcpOverAcp.declare(name, reference, session);
    const server = this.#finder.open(name, reference);
    const { isShared = false } = server;
    // MCP servers of this process belong to their proxy and are not disposed by the gate.
    if (server instanceof ConnectedServer) exposures.push(server);
    if (isShared) return this.#exposeShared(server, kind, session);
    return this.options.bridge.expose(this.#judged(server, new Set([session])), kind);
  }

  /** Uses one address for all sessions with the server, until the last one ends. */
  async #exposeShared(server: McpServer, kind: "http" | "stdio", session: CallingSession): Promise<McpExposure> {
    const shared = this.#shared.get(server) ?? this.#share(server, kind);
    shared.sessions.add(session);
    const leave = async (): Promise<void> => {
      shared.sessions.delete(session);
      if (shared.sessions.size > 0) return;
      this.#shared.delete(server);
      await (await shared.exposure)[Symbol.asyncDispose]();
    };
    try {
      const { declaration } = await shared.exposure;
      return { declaration, [Symbol.asyncDispose]: leave };
    } catch (fault) {
      shared.sessions.delete(session);
      this.#shared.delete(server);
      throw fault;
    }
  }

  #share(
    server: McpServer,
    kind: "http" | "stdio",
  ): { readonly exposure: Promise<McpExposure>; readonly sessions: Set<CallingSession> } {
    const sessions = new Set<CallingSession>();
    const shared = { exposure: this.options.bridge.expose(this.#judged(server, sessions), kind), sessions };
    this.#shared.set(server, shared);
    return shared;
  }

  /** Applies the tool checks to a server. If several sessions share a folder, the checks use the last session. */
  #judged(server: McpServer, sessions: ReadonlySet<CallingSession>): McpServer {
    const { toolJudges } = this.options;
    if (toolJudges.length === 0) return server;
    return judgedServer(server, async (call, signal) => {
      const folders = new Map([...sessions].map((session) => [session.cwd, session]));
      if (folders.size === 0) return "The session of this tool has ended.";
      for (const session of folders.values()) {
        for (const refuse of toolJudges) {
          const reason = await refuse(call, session, signal);
          if (reason !== undefined) return reason;
        }
      }
      return undefined;
    });
  }

  #release(resources: readonly AsyncDisposable[]): void {
    for (const resource of resources) {
      resource[Symbol.asyncDispose]().then(undefined, (fault: unknown) => this.#onFault(fault));
    }
  }

  #onFault(fault: unknown): void {
    this.options.logger.warn("an MCP server of a session could not be released", { message: messageOf(fault) });
  }
}

/** `sessionId` is undefined until the agent answers `session/new`. */
function openingSession(params: Json): { sessionId: string | undefined; readonly cwd: string } {
  const { sessionId, cwd } = params.object ?? {};
  return {
    sessionId: stringOf(sessionId),
    cwd: textOf(cwd),
  };
}

/** Wraps a server so that `refuse` can veto each tool call; the model gets the reason. */
function judgedServer(server: McpServer, refuse: RefuseTool): McpServer {
  const { name, originalName, takesLogLevel } = server;
  return {
    name,
    ...(takesLogLevel !== undefined && { takesLogLevel }),
    ...(server.subscribe && { subscribe: server.subscribe.bind(server) }),
    describe: (signal) => server.describe(signal),
    async call(method, params, context) {
      if (method !== mcpMethods.toolsCall) return server.call(method, params, context);
      const { signal } = context;
      if (server.callsOthers === true) {
        const { clientName } = context;
        return server.call(method, params, {
          signal,
          clientName,
          refuse,
          notify: (...note) => context.notify(...note),
        });
      }
      const call = params ?? Json.of({});
      const { name: tool, arguments: args = {} } = call.object ?? {};
      const named = { server: name, originalServer: originalName ?? name, tool: String(tool), arguments: args };
      const reason = await refuse(named, signal);
      return reason === undefined ? server.call(method, params, context) : mcpResult(failedTool(reason));
    },
  };
}
