import { sessionHandlers } from "../../base/acp/methods.js";
import { type Cancel, deferredRequest, type Reply } from "../../base/rpc/peer.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { Request } from "../../base/rpc/message.js";
import type { Proxy, ProxyChain, RequestHandler } from "../../conductor/chain/proxy.js";
import type { Members } from "../../base/rpc/json.js";

/** Returns why a session's MCP server must not be used; undefined if it may. Never rejects. */
export type JudgeServer = (entry: Members) => Promise<string | undefined>;

/** Removes the MCP servers that the client adds to sessions and that `judge` refuses. */
export function allowedServersProxy(judge: JudgeServer): Proxy {
  return {
    name: "allowed servers",
    connect: (chain) => ({
      clientRequests: sessionHandlers<RequestHandler>((request, reply) => opened(chain, judge, request, reply)),
    }),
  };
}

function opened({ successor, logger }: ProxyChain, judge: JudgeServer, request: Request, reply: Reply): Cancel {
  const { params } = request;
  const entries = params && elementsOf(memberOf(params, "mcpServers") ?? params);
  if (!params || !entries || entries.length === 0) return successor.request(request, reply);
  const judged = Promise.all(entries.map(async (entry) => ({ entry, fault: await judge(entry.object ?? {}) })));
  return deferredRequest(judged, (all) => {
    for (const { fault } of all) if (fault !== undefined) logger.error("left out an MCP server", { reason: fault });
    const kept = all.flatMap(({ entry, fault }) => (fault === undefined ? [entry] : []));
    const edited =
      kept.length === all.length
        ? request
        : new Request(request.method, withMember(params, ["mcpServers"], arrayOf(kept)));
    return successor.request(edited, reply);
  });
}
