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
  /** Clients that serve it, each with the client's own id for the server or connection; the newest is last. */
  readonly clients: Map<SessionClient, string>;
}

/** MCP servers that clients serve to a conductor's sessions over ACP. Another client of the user can take over a server by its name. */
export class ClientServers {
  /** Servers by the id that the conductor uses, which is a server's or a connection's. */
  readonly #servers = new Map<string, ClientServer>();

  /** Notes the servers in a request that opens a session. Returns a function to call with the opened session's id; undefined if it failed. */
  declare(client: SessionClient, request: Request): (sessionId: string | undefined) => void {
    const declared = serversIn(request).map(([name, id]) => {
      const server: ClientServer = { name, sessionId: undefined, clients: new Map([[client, id]]) };
      this.#servers.set(id, server);
      return { id, server };
    });
    return (sessionId) => {
      for (const { id, server } of declared) {
        server.sessionId = sessionId;
        if (sessionId === undefined) this.#servers.delete(id);
      }
    };
  }

  /** Lets a client that attaches to a session serve the session's servers that it also declares. */
  attach(client: SessionClient, sessionId: string, request: Request): void {
    const own = new Map(serversIn(request));
    for (const server of this.#servers.values()) {
      const id = own.get(server.name);
      if (server.sessionId !== sessionId || id === undefined) continue;
      server.clients.delete(client);
      server.clients.set(client, id);
    }
  }

  forget(sessionId: string): void {
    for (const [id, server] of this.#servers) if (server.sessionId === sessionId) this.#servers.delete(id);
  }

  /** Sends a message to the newest client that serves its target. Without such a client, answers with the reason. */
  request(request: Request, reply: Reply): Cancel {
    const [key, server] = this.#targetOf(request);
    if (!server) {
      reply(Outcome.error(new RpcError(mcpOverAcpErrorCodes.unknownServer, "No open session has this MCP server")));
      return nothingToCancel;
    }
    const { name, sessionId, clients } = server;
    const found = [...clients].findLast(([client]) => client.isIn(sessionId));
    if (!found) {
      reply(away(name));
      return nothingToCancel;
    }
    const [client, id] = found;
    const params = withMember(request.params ?? Json.of({}), [key], Json.of(id));
    return client.peer.request(new Request(request.method, params), (outcome) => {
      if (outcome.isError && !client.isIn(server.sessionId)) {
        reply(away(name));
        return;
      }
      const { connectionId, connection_id: older } = outcome.json.object ?? {};
      const connection = connectionId ?? older;
      if (typeof connection === "string") {
        this.#servers.set(connection, { name, sessionId: server.sessionId, clients: new Map([[client, connection]]) });
      }
      reply(outcome);
    });
  }

  #targetOf({ params }: Request): readonly [string, ClientServer | undefined] {
    const members = params?.object ?? {};
    const key = targetKeys.find((one) => typeof members[one] === "string" && this.#servers.has(members[one]));
    return key === undefined ? ["", undefined] : [key, this.#servers.get(String(members[key]))];
  }
}

/** Members of messages that contain a server or connection, in all dialects. */
const targetKeys = ["serverId", "acp_url", "acpId", "connectionId", "connection_id"] as const;

function serversIn({ params }: Request): (readonly [name: string, id: string])[] {
  return objectsOf(params?.object?.["mcpServers"]).flatMap(({ type, name, id, serverId, url }) =>
    type === "acp" && typeof name === "string"
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
