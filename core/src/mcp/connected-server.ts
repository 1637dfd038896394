import { asObject, Json } from "../rpc/json.js";
import { withMember } from "../rpc/json-edit.js";
import { Notification, type Outcome, Request } from "../rpc/message.js";
import { ask, type Peer } from "../rpc/peer.js";
import type { McpCallContext, McpOutcome, McpServer, McpServerDescription } from "./mcp-server.js";
import { rawObject, type UpstreamCalls } from "./upstream-calls.js";
import { type ConnectionDialect, handshakeVersions, mcpMethods } from "./wire.js";

interface RunningCall {
  readonly context: McpCallContext;
  readonly clientToken: unknown;
}

interface OpenConnection {
  readonly connectionId: string;
  readonly description: McpServerDescription;
}

/** A server that a component offers over connections with a handshake: opened at the first call, one for each session. */
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
    // Tokens of our own: calls of several clients may share this connection.
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

  /** Does not wait for a connection that is still being opened: a component that never answers would hold up the end of the chain. */
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

  /** Progress goes to the call whose token it carries; other notifications belong to no call. */
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

/** `_meta` as servers of the handshake era know it: without the stateless keys, with our own progress token. */
function connectionMeta(meta: Readonly<Record<string, unknown>>, token: string | undefined): Record<string, unknown> {
  const kept = Object.entries(meta).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return { ...Object.fromEntries(kept), ...(token !== undefined && { progressToken: token }) };
}
