import { isSessionSetup } from "../src/base/acp/methods.js";
import { messageOf } from "../src/base/symposium-error.js";
import type { McpOutcome, McpServer } from "../src/base/mcp/mcp-server.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../src/base/rpc/json-edit.js";
import { Json } from "../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../src/base/rpc/message.js";
import { type Cancel, nothingToCancel, type Reply } from "../src/base/rpc/peer.js";
import { RpcError } from "../src/base/rpc/rpc-error.js";
import { objectMember, stringMember } from "./members.js";
import type { WireDialect } from "./wire-dialect.js";

/** Sends a notification back to where a request came from. */
type NotifyBack = (notification: Notification) => void;

/** One MCP server as a proxy offers it in its dialect of MCP over ACP. */
export class WireMcpServer {
  readonly #connections = new Set<string>();
  readonly #running = new Map<AbortController, string>();
  #nextConnection = 1;

  constructor(
    private readonly server: McpServer,
    private readonly dialect: WireDialect,
    private readonly serverId: string,
  ) {}

  /** The request with the server's declaration appended, when it opens a session. */
  declaredIn(request: Request): Request {
    if (!isSessionSetup(request.method)) return request;
    const params = request.params ?? Json.ofText("{}");
    const servers = elementsOf(memberOf(params, "mcpServers") ?? Json.null) ?? [];
    const own = Json.of(this.dialect.declaration(this.server.name, this.serverId));
    return new Request(request.method, withMember(params, ["mcpServers"], arrayOf([...servers, own])));
  }

  /** Answers a request that is for this server; returns undefined when it is not. */
  request(request: Request, reply: Reply, notifyBack: NotifyBack): Cancel | undefined {
    const { message, connection } = this.dialect.mcp;
    if (request.method === connection?.connect) {
      if (stringMember(request.params, connection.serverMember) !== this.dialect.serverName(this.serverId))
        return undefined;
      const id = `${this.server.name}-connection-${this.#nextConnection++}`;
      this.#connections.add(id);
      reply(Outcome.of({ [connection.resultMember]: id }));
      return nothingToCancel;
    }
    if (request.method !== message) return undefined;
    return connection
      ? this.#callConnected(request, reply, notifyBack)
      : this.#callStateless(request, reply, notifyBack);
  }

  /** Takes a notification that is for this server; returns false when it is not. */
  notify({ method, params }: Notification): boolean {
    const id = connectionId(params);
    if (id === undefined || !this.#connections.has(id)) return false;
    if (method === this.dialect.mcp.connection?.disconnect) this.#connections.delete(id);
    else if (method !== this.dialect.mcp.message) return false;
    const isCancel = stringMember(params, "method") === "notifications/cancelled";
    if (isCancel || !this.#connections.has(id)) this.#abortAll(id);
    return true;
  }

  #abortAll(connection: string): void {
    for (const [controller, owner] of this.#running) if (owner === connection) controller.abort();
  }

  #callConnected({ params }: Request, reply: Reply, notifyBack: NotifyBack): Cancel | undefined {
    const id = connectionId(params);
    if (id === undefined || !this.#connections.has(id)) return undefined;
    const method = stringMember(params, "method") ?? "";
    const inner = params && memberOf(params, "params");
    if (method === "initialize") void this.#describe(inner, reply);
    else if (method === "ping") reply(Outcome.of({}));
    else {
      return this.#call(id, method, inner, outcomeOf(reply), (note, noteParams) => {
        notifyBack(
          Notification.of(this.dialect.mcp.message, { connectionId: id, method: note, params: noteParams?.value }),
        );
      });
    }
    return nothingToCancel;
  }

  async #describe(params: Json | undefined, reply: Reply): Promise<void> {
    const description = await this.server.describe(new AbortController().signal);
    reply(Outcome.of({ protocolVersion: stringMember(params, "protocolVersion") ?? "2025-06-18", ...description }));
  }

  #callStateless({ params }: Request, reply: Reply, notifyBack: NotifyBack): Cancel | undefined {
    if (stringMember(params, "serverId") !== this.serverId) return undefined;
    const requestId = stringMember(params, "requestId");
    const method = stringMember(params, "method");
    if (requestId === undefined || method === undefined) {
      reply(Outcome.error(RpcError.invalidParams("mcp/message needs requestId and method as strings")));
      return nothingToCancel;
    }
    const inner = params && memberOf(params, "params");
    const refusal = modernEnvelopeError(inner);
    if (refusal) {
      reply(Outcome.of({ error: refusal }));
      return nothingToCancel;
    }
    if (method === "server/discover") {
      void this.server.describe(new AbortController().signal).then(({ serverInfo, ...description }) => {
        const result = { supportedVersions: ["2026-07-28"], ...description };
        reply(Outcome.of({ result: modernResult(method, Json.of(result), serverInfo) }));
      });
      return nothingToCancel;
    }
    const onDone = (outcome: McpOutcome): void => {
      if (isCancellation(outcome)) reply(Outcome.error(RpcError.cancelled()));
      else if (outcome.isError) reply(Outcome.of({ error: outcome.json.value }));
      else reply(Outcome.of({ result: modernResult(method, outcome.json) }));
    };
    const { serverId } = this;
    return this.#call(requestId, method, inner, onDone, (note, noteParams) => {
      notifyBack(Notification.of("mcp/message", { serverId, requestId, method: note, params: noteParams?.value }));
    });
  }

  /** Starts one call for `owner`; the returned function aborts it. */
  #call(
    owner: string,
    method: string,
    params: Json | undefined,
    onDone: (outcome: McpOutcome) => void,
    notify: (method: string, params: Json | undefined) => void,
  ): Cancel {
    const controller = new AbortController();
    this.#running.set(controller, owner);
    void this.server
      .call(method, params, { signal: controller.signal, notify })
      .catch((defect: unknown) => ({ isError: true, json: RpcError.internal(messageOf(defect)).json }))
      .then((outcome) => {
        this.#running.delete(controller);
        onDone(outcome);
      });
    return () => controller.abort();
  }
}

/** Published peers disagree on the spelling. */
function connectionId(params: Json | undefined): string | undefined {
  return stringMember(params, "connectionId") ?? stringMember(params, "connection_id");
}

function outcomeOf(reply: Reply): (outcome: McpOutcome) => void {
  return ({ isError, json }) => reply(isError ? Outcome.errorJson(json) : Outcome.result(json));
}

function isCancellation(outcome: McpOutcome): boolean {
  return outcome.isError && outcome.json.object?.["code"] === -32800;
}

const version = "2026-07-28";
const key = (name: string): string => `io.modelcontextprotocol/${name}`;

/** Methods whose complete results must say how long they may be kept (MCP 2026-07-28, caching). */
const cacheable = new Set(["server/discover", "tools/list", "prompts/list", "resources/list"]);

/** What is wrong with the `_meta` of a stateless MCP request, as an error object; undefined when nothing is. */
function modernEnvelopeError(params: Json | undefined): Readonly<Record<string, unknown>> | undefined {
  const meta = objectMember(params, "_meta");
  const requested = meta?.[key("protocolVersion")];
  if (typeof requested !== "string") return missing(key("protocolVersion"));
  if (requested !== version) {
    return {
      code: -32022,
      message: `Unsupported protocol version: ${requested}`,
      data: { supported: [version], requested },
    };
  }
  return Json.of(meta?.[key("clientCapabilities")]).object ? undefined : missing(key("clientCapabilities"));
}

function missing(name: string): Readonly<Record<string, unknown>> {
  return { code: -32602, message: `Missing or invalid _meta["${name}"]`, data: { envelope: { missing: [name] } } };
}

/** A result with the members that MCP 2026-07-28 requires. */
function modernResult(method: string, result: Json, serverInfo?: unknown): Readonly<Record<string, unknown>> {
  return {
    resultType: "complete",
    ...result.object,
    ...(cacheable.has(method) ? { ttlMs: 0, cacheScope: "private" } : {}),
    ...(serverInfo === undefined ? {} : { _meta: { [key("serverInfo")]: serverInfo } }),
  };
}
