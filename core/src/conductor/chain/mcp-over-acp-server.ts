import type { CallingSession } from "./proxy.js";
import { acpDeclaration } from "../../base/mcp/server-table.js";
import { ConnectedServer, type McpServerFinder } from "../../base/mcp/mcp-over-acp-client.js";
import type { McpExposure, McpServer } from "../../base/mcp/mcp-server.js";
import { McpEndpoint } from "../../base/mcp/mcp-endpoint.js";
import { mcpMessageMethod, mcpOverAcpErrorCodes, metaKeys } from "../../base/mcp/wire.js";
import { Json } from "../../base/rpc/json.js";
import { memberOf } from "../../base/rpc/json-edit.js";
import { Notification, Outcome, type Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";

interface DeclaredServer {
  readonly endpoint: McpEndpoint;
  readonly server: McpServer;
  /** Sessions that use the server. Some components use one reference for all sessions. */
  readonly sessions: Set<CallingSession>;
}

/**
 * Answers an agent's `mcp/message` requests for servers of this process and of components whose dialect the agent doesn't support. The
 * chain answers requests for all other servers.
 */
export class McpOverAcpServer {
  readonly #declared = new Map<string, DeclaredServer>();

  constructor(
    private readonly finder: McpServerFinder,
    private readonly agent: Peer,
    /** Whether every call must pass the check in `judged`. */
    private readonly isJudged: boolean,
    private readonly judged: (server: McpServer, sessions: ReadonlySet<CallingSession>) => McpServer,
  ) {}

  declare(name: string, reference: string, session: CallingSession): McpExposure {
    const declaration = acpDeclaration(name, reference);
    const place = this.finder.find(reference);
    const isForeign = place ? place.kind === "here" || place.dialect !== "current" : reference.startsWith("acp:");
    const isTranslated = isForeign || this.isJudged;
    if (isTranslated) this.#take(name, reference, session);
    return {
      declaration,
      [Symbol.asyncDispose]: async () => {
        if (isTranslated) await this.#giveBack(reference, session);
      },
    };
  }

  /** Answers the request if it is for a server that this object handles; otherwise returns undefined. */
  request(request: Request, reply: Reply): Cancel | undefined {
    const envelope = request.params;
    const { serverId, requestId, method, params } = envelope?.object ?? {};
    const endpoint = typeof serverId === "string" ? this.#declared.get(serverId)?.endpoint : undefined;
    if (!endpoint || !envelope) return undefined;
    if (typeof requestId !== "string" || typeof method !== "string") {
      reply(Outcome.error(RpcError.invalidParams(`${mcpMessageMethod} needs strings "requestId" and "method"`)));
      return () => undefined;
    }
    const controller = new AbortController();
    const raw = params === undefined || params === null ? undefined : memberOf(envelope, "params");
    const send = (line: string): void => this.#notifyAgent(serverId as string, requestId, line);
    const message = {
      method,
      params: raw ?? undefined,
      id: JSON.stringify(requestId),
      signal: controller.signal,
      send,
    };
    if (!isStateless(raw)) {
      reply(carrier({ isError: true, json: RpcError.invalidParams(`_meta needs "${metaKeys.protocolVersion}"`).json }));
      return () => undefined;
    }
    void endpoint.handle(message).then(
      (answer) => reply(answer ? carrier(answer.outcome) : Outcome.error(RpcError.cancelled())),
      () => reply(Outcome.error(new RpcError(mcpOverAcpErrorCodes.backendFailed, "The MCP server failed"))),
    );
    return () => controller.abort();
  }

  #take(name: string, reference: string, session: CallingSession): void {
    const declared = this.#declared.get(reference);
    if (declared) {
      declared.sessions.add(session);
      return;
    }
    const server = this.finder.open(name, reference);
    const sessions = new Set([session]);
    this.#declared.set(reference, { endpoint: new McpEndpoint(this.judged(server, sessions)), server, sessions });
  }

  async #giveBack(reference: string, session: CallingSession): Promise<void> {
    const declared = this.#declared.get(reference);
    declared?.sessions.delete(session);
    if (!declared || declared.sessions.size > 0) return;
    this.#declared.delete(reference);
    declared.endpoint[Symbol.dispose]();
    if (declared.server instanceof ConnectedServer) await declared.server[Symbol.asyncDispose]();
  }

  #notifyAgent(serverId: string, requestId: string, line: string): void {
    const inner = Json.ofText(line);
    const params = memberOf(inner, "params");
    const head = `"serverId":${JSON.stringify(serverId)},"requestId":${JSON.stringify(requestId)}`;
    const method = memberOf(inner, "method")?.text ?? '""';
    const text = `{${head},"method":${method}${params ? `,"params":${params.text}` : ""}}`;
    this.agent.notify(new Notification(mcpMessageMethod, Json.ofText(text)));
  }
}

function isStateless(params: Json | undefined): boolean {
  const meta = params && memberOf(params, "_meta");
  return meta?.object?.[metaKeys.protocolVersion] !== undefined;
}

function carrier(outcome: { readonly isError: boolean; readonly json: Json }): Outcome {
  return Outcome.result(Json.ofText(`{"${outcome.isError ? "error" : "result"}":${outcome.json.text}}`));
}
