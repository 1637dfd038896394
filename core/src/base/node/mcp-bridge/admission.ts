import type { IncomingMessage } from "node:http";
import type { McpEndpoint } from "../../mcp/mcp-endpoint.js";
import { hasToken, isLocal } from "../loopback-server.js";

/** A server under its path, for one session. */
export interface ExposedServer {
  readonly endpoint: McpEndpoint;
  /** What `Authorization: Bearer` must carry; 256 random bits. */
  readonly token: string;
}

/** Why a request is turned away, as an HTTP status. */
interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Finds the exposed server a request is for. Browsers are kept out by their Origin and by rebound Host names
 * (MCP transports, security warning), other local programs by the token.
 */
export function admit(
  request: IncomingMessage,
  find: (path: string) => ExposedServer | undefined,
): ExposedServer | Refusal {
  if (!isLocal(request.headers)) return { status: 403 };
  const exposed = find((request.url ?? "").split("?", 1)[0] ?? "");
  // Discovery of authorization servers is answered plainly: there is none (clients probe before they connect).
  if (!exposed) return { status: 404 };
  if (!hasToken(request.headers, exposed.token)) return { status: 401, headers: { "WWW-Authenticate": "Bearer" } };
  return exposed;
}

export function isRefusal(answer: ExposedServer | Refusal): answer is Refusal {
  return "status" in answer;
}
