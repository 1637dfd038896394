import { memberOf, withMember } from "../rpc/json-edit.js";
import { asObject, Json } from "../rpc/json.js";
import { Notification, type Outcome, Request } from "../rpc/message.js";
import { ask, type Peer } from "../rpc/peer.js";
import {
  type McpCallContext,
  mcpError,
  type McpOutcome,
  type McpServer,
  type McpServerDescription,
} from "./mcp-server.js";
import type { McpServerPlace, McpServerTable } from "./server-table.js";
import {
  type ConnectionDialect,
  connectionDialects,
  handshakeVersions,
  mcpMessageMethod,
  mcpMethods,
  mcpOverAcpErrorCodes,
  metaKeys,
  statelessVersion,
} from "./wire.js";

/** Opens MCP servers by the reference used in sessions, for any member of the chain and any MCP-over-ACP dialect. */
export class McpServerFinder {
  constructor(
    private readonly servers: McpServerTable,
    private readonly upstream: Peer,
    private readonly calls: UpstreamCalls,
  ) {}

  find(reference: string): McpServerPlace | undefined {
    return this.servers.find(reference);
  }

  /** Opens the server with this reference. The caller owns the server and must dispose of it if it is disposable. */
  open(name: string, reference: string): McpServer {
    const place = this.servers.find(reference);
    if (place?.kind === "here") return place.server;
    // Undeclared references come from the editor. An `acp:` URL marks the oldest dialect.
    const dialect = place?.dialect ?? (reference.startsWith("acp:") ? "legacy" : "current");
    if (dialect === "current") return new StatelessServer(name, reference, this.upstream, this.calls);
    return new ConnectedServer(name, reference, connectionDialects[dialect], this.upstream, this.calls);
  }
}

/** Server of a component with the current dialect; each call is one `mcp/message` request. */
export class StatelessServer implements McpServer {
  constructor(
    readonly name: string,
    private readonly serverId: string,
    private readonly upstream: Peer,
    private readonly calls: UpstreamCalls,
  ) {}

  async describe(signal: AbortSignal): Promise<McpServerDescription> {
    const outcome = await this.call(mcpMethods.discover, undefined, { signal, notify: () => undefined });
    const { capabilities, instructions, _meta } = outcome.json.object ?? {};
    if (outcome.isError)
      throw new Error(`The MCP server "${this.name}" refused ${mcpMethods.discover}: ${outcome.json.text}`);
    return {
      serverInfo: asObject(asObject(_meta)?.[metaKeys.serverInfo]) ?? { name: this.name, version: "0" },
      capabilities: asObject(capabilities) ?? {},
      ...(typeof instructions === "string" && { instructions }),
    };
  }

  async call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
    const requestId = crypto.randomUUID();
    using _listening = this.calls.listen(requestId, (note, noteParams) => context.notify(note, noteParams));
    const envelope = rawObject({
      serverId: Json.of(this.serverId),
      requestId: Json.of(requestId),
      method: Json.of(method),
      params: withEnvelope(params),
    });
    return unwrapCarrier(await ask(this.upstream, new Request(mcpMessageMethod, envelope), context.signal));
  }
}

/** Adds the `_meta` keys required in stateless requests; existing keys take precedence. */
function withEnvelope(params: Json | undefined): Json {
  let json = params ?? Json.ofText("{}");
  const meta = memberOf(json, "_meta")?.object ?? {};
  if (meta[metaKeys.protocolVersion] === undefined) {
    json = withMember(json, ["_meta", metaKeys.protocolVersion], Json.of(statelessVersion));
  }
  // Announces no capabilities, since a stateless call can't query those of a 2025-era client.
  if (meta[metaKeys.clientCapabilities] === undefined) {
    json = withMember(json, ["_meta", metaKeys.clientCapabilities], Json.of({}));
  }
  return json;
}

/** Unwraps `{result}` or `{error}` from the server; an outer error is a transport error. */
function unwrapCarrier(outcome: Outcome): McpOutcome {
  if (outcome.isError) return { isError: true, json: outcome.json };
  const result = memberOf(outcome.json, "result");
  if (result) return { isError: false, json: result };
  const error = memberOf(outcome.json, "error");
  if (error) return { isError: true, json: error };
  return mcpError(mcpOverAcpErrorCodes.backendFailed, "the answer to mcp/message has neither a result nor an error");
}

interface RunningCall {
  readonly context: McpCallContext;
  readonly clientToken: unknown;
}

interface OpenConnection {
  readonly connectionId: string;
  readonly description: McpServerDescription;
}

/** Server of a component with a connection-based dialect. Opens one connection per session, at the first call. */
export class ConnectedServer implements McpServer, AsyncDisposable {
  #connection: Promise<OpenConnection> | undefined;
  #listening: Disposable | undefined;
  readonly #running = new Map<string, RunningCall>();
  #nextToken = 1;

  constructor(
    readonly name: string,
    private readonly reference: string,
    private readonly dialect: ConnectionDialect,
    private readonly upstream: Peer,
    private readonly calls: UpstreamCalls,
  ) {}

  async describe(): Promise<McpServerDescription> {
    return (await this.#open()).description;
  }

  async call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
    const { connectionId } = await this.#open();
    const meta = asObject(params?.object?.["_meta"]);
    const clientToken = meta?.["progressToken"];
    // Replaces the clients' progress tokens, which can collide on a shared connection.
    const token = clientToken === undefined ? undefined : `symposium-${this.#nextToken++}`;
    if (token !== undefined) this.#running.set(token, { context, clientToken });
    try {
      const inner = params && meta ? withMember(params, ["_meta"], Json.of(connectionMeta(meta, token))) : params;
      const outcome = await this.#ask(connectionId, method, inner, context.signal);
      return { isError: outcome.isError, json: outcome.json };
    } finally {
      if (token !== undefined) this.#running.delete(token);
    }
  }

  /**
   * Closes the connection without waiting for one that is still opening, because an unresponsive component would block the chain's
   * shutdown.
   */
  [Symbol.asyncDispose](): Promise<void> {
    void this.#connection?.then(
      ({ connectionId }) => this.#disconnect(connectionId),
      () => undefined,
    );
    return Promise.resolve();
  }

  #disconnect(connectionId: string): void {
    this.#listening?.[Symbol.dispose]();
    this.upstream.notify(Notification.of(this.dialect.disconnect, { [this.dialect.connectionKey]: connectionId }));
  }

  #open(): Promise<OpenConnection> {
    this.#connection ??= this.#connect().catch((failure: unknown) => {
      this.#connection = undefined;
      throw failure;
    });
    return this.#connection;
  }

  async #connect(): Promise<OpenConnection> {
    const { dialect } = this;
    const opened = await ask(this.upstream, Request.of(dialect.connect, dialect.connectParams(this.reference)));
    const { connectionId, connection_id: older } = opened.json.object ?? {};
    const id = connectionId ?? older;
    if (opened.isError || typeof id !== "string") {
      throw new Error(`The MCP server "${this.name}" did not accept ${dialect.connect}: ${opened.json.text}`);
    }
    this.#listening = this.calls.listen(id, (method, params) => this.#deliver(method, params));
    const hello = Json.of({
      protocolVersion: handshakeVersions[0],
      capabilities: {},
      clientInfo: { name: "symposium", version: "1" },
    });
    const answer = await this.#ask(id, mcpMethods.initialize, hello, undefined);
    if (answer.isError) {
      this.#disconnect(id);
      throw new Error(`The MCP server "${this.name}" refused initialize: ${answer.json.text}`);
    }
    this.upstream.notify(new Notification(dialect.message, envelopeOf(id, mcpMethods.initialized, undefined)));
    const { serverInfo, capabilities, instructions } = answer.json.object ?? {};
    return {
      connectionId: id,
      description: {
        serverInfo: asObject(serverInfo) ?? { name: this.name, version: "0" },
        capabilities: asObject(capabilities) ?? {},
        ...(typeof instructions === "string" && { instructions }),
      },
    };
  }

  #ask(id: string, method: string, params: Json | undefined, signal: AbortSignal | undefined): Promise<Outcome> {
    return ask(this.upstream, new Request(this.dialect.message, envelopeOf(id, method, params)), signal);
  }

  /** Delivers progress to the call with its token; drops other notifications, which belong to no call. */
  #deliver(method: string, params: Json | undefined): void {
    const token = method === mcpMethods.progress ? params?.object?.["progressToken"] : undefined;
    const running = typeof token === "string" ? this.#running.get(token) : undefined;
    if (!running || !params) return;
    running.context.notify(method, withMember(params, ["progressToken"], Json.of(running.clientToken)));
  }
}

function envelopeOf(connectionId: string, method: string, params: Json | undefined): Json {
  return rawObject({ connectionId: Json.of(connectionId), method: Json.of(method), params });
}

/** Converts `_meta` for handshake-era servers: removes the stateless keys and replaces the progress token. */
function connectionMeta(meta: Readonly<Record<string, unknown>>, token: string | undefined): Record<string, unknown> {
  const kept = Object.entries(meta).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return { ...Object.fromEntries(kept), ...(token !== undefined && { progressToken: token }) };
}

type NotificationListener = (method: string, params: Json | undefined) => void;

/** Routes notifications from servers over ACP to their calls: by `requestId` (stateless) or `connectionId` (connections). */
export class UpstreamCalls {
  readonly #listeners = new Map<string, NotificationListener>();

  /** Routes notifications that contain `key` to `listener` until the returned handle is disposed. */
  listen(key: string, listener: NotificationListener): Disposable {
    this.#listeners.set(key, listener);
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.get(key) === listener) this.#listeners.delete(key);
      },
    };
  }

  /** Delivers an `mcp/message` notification. Returns false if no listener expects it. */
  deliver(notification: Notification): boolean {
    const envelope = notification.params;
    const { requestId, connectionId, method } = envelope?.object ?? {};
    const key = typeof requestId === "string" ? requestId : connectionId;
    const listener = typeof key === "string" ? this.#listeners.get(key) : undefined;
    if (!listener || !envelope || typeof method !== "string") return false;
    listener(method, memberOf(envelope, "params"));
    return true;
  }
}

function rawObject(members: Readonly<Record<string, Json | undefined>>): Json {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(members)) {
    if (value) parts.push(`${JSON.stringify(key)}:${value.text}`);
  }
  return Json.ofText(`{${parts.join(",")}}`);
}
