import { mcpOverAcpErrorCodes } from "../../base/mcp/wire.js";
import { Json, objectsOf } from "../../base/rpc/json.js";
import { withMember } from "../../base/rpc/json-edit.js";
import { Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { SessionClient } from "./attachment.js";

interface ClientServer {
  readonly name: string;
  /** Undefined until the session is open. */
  sessionId: string | undefined;
  /** Clients that serve it, each with the client's own id for the server; the newest is last. */
  readonly clients: Map<SessionClient, string>;
}

/** Connection to a server, which only the client that opened it knows. */
interface ServerConnection {
  readonly server: ClientServer;
  readonly client: SessionClient;
}

/** MCP servers that clients serve to a conductor's sessions over ACP. Another client of the user can take over a server by its name. */
export class ClientServers {
  /** Servers by the id that the conductor uses. Clients may use an id in several sessions. */
  readonly #servers = new Map<string, readonly ClientServer[]>();
  readonly #connections = new Map<string, ServerConnection>();

  /** Notes the servers in a request that opens a session. Returns a function to call with the opened session's id; undefined if it failed. */
  declare(client: SessionClient, request: Request): (sessionId: string | undefined) => void {
    const declared = serversIn(request).map(([name, id]) => {
      const server: ClientServer = { name, sessionId: undefined, clients: new Map([[client, id]]) };
      this.#servers.set(id, [...(this.#servers.get(id) ?? []), server]);
      return server;
    });
    return (sessionId) => {
      for (const server of declared) server.sessionId = sessionId;
      if (sessionId === undefined) this.#remove((server) => declared.includes(server));
    };
  }

  /** Lets a client that attaches to a session serve the session's servers that it also declares. */
  attach(client: SessionClient, sessionId: string, request: Request): void {
    const own = new Map(serversIn(request));
    for (const server of [...this.#servers.values()].flat()) {
      const id = own.get(server.name);
      if (server.sessionId !== sessionId || id === undefined) continue;
      server.clients.delete(client);
      server.clients.set(client, id);
    }
  }

  forget(sessionId: string): void {
    this.#remove((server) => server.sessionId === sessionId);
  }

  /** Sends a message to the newest client that serves its target. Without such a client, answers with the reason. */
  request(request: Request, reply: Reply): Cancel {
    const target = this.#targetOf(request);
    if (!target) {
      reply(Outcome.error(new RpcError(mcpOverAcpErrorCodes.unknownServer, "No open session has this MCP server")));
      return nothingToCancel;
    }
    const { key, server, client, id } = target;
    if (!client) {
      reply(away(server.name));
      return nothingToCancel;
    }
    const params = withMember(request.params ?? Json.of({}), [key], Json.of(id));
    return client.peer.request(new Request(request.method, params), (outcome) => {
      if (outcome.isError && !client.isIn(server.sessionId)) {
        reply(away(server.name));
        return;
      }
      const { connectionId, connection_id: older } = outcome.json.object ?? {};
      const connection = connectionId ?? older;
      if (typeof connection === "string") this.#connections.set(connection, { server, client });
      reply(outcome);
    });
  }

  /** Returns the server that a message is for, and the client to ask, if one is there, with the client's id of the target. */
  #targetOf({
    params,
  }: Request): (Pick<ServerConnection, "server"> & Partial<AskedClient> & { readonly key: string }) | undefined {
    for (const key of targetKeys) {
      const id = params?.object?.[key];
      if (typeof id !== "string") continue;
      const connection = this.#connections.get(id);
      if (connection) {
        const { server, client } = connection;
        return { key, server, ...(client.isIn(server.sessionId) && { client, id }) };
      }
      const servers = this.#servers.get(id) ?? [];
      const asked = servers.flatMap((server) =>
        [...server.clients].map(([client, own]) => ({ server, client, id: own })),
      );
      const found = asked.findLast(({ server, client }) => client.isIn(server.sessionId));
      const [server] = servers;
      if (server) return { key, server, ...found };
    }
    return undefined;
  }

  #remove(isGone: (server: ClientServer) => boolean): void {
    for (const [id, servers] of this.#servers) {
      const left = servers.filter((server) => !isGone(server));
      if (left.length > 0) this.#servers.set(id, left);
      else this.#servers.delete(id);
    }
    for (const [id, { server }] of this.#connections) if (isGone(server)) this.#connections.delete(id);
  }
}

interface AskedClient {
  readonly client: SessionClient;
  /** The client's own id for the server or connection. */
  readonly id: string;
}

/** Members of messages that contain a server or connection, in all dialects. */
const targetKeys = ["serverId", "acp_url", "acpId", "connectionId", "connection_id"] as const;

function serversIn({ params }: Request): (readonly [name: string, id: string])[] {
  return objectsOf(params?.object?.["mcpServers"]).flatMap(({ type, name, id, serverId, url }) =>
    // The oldest dialect declares a server by URL alone.
    (type === "acp" || (typeof url === "string" && url.startsWith("acp:"))) && typeof name === "string"
      ? [id, serverId, url].flatMap((one) => (typeof one === "string" ? [[name, one] as const] : []))
      : [],
  );
}

function away(server: string): Outcome {
  const message =
    `The machine that runs the MCP server "${server}" isn't connected. ` +
    "Its tools work again when a client on that machine attaches to this session.";
  return Outcome.error(new RpcError(mcpOverAcpErrorCodes.backendFailed, message));
}
