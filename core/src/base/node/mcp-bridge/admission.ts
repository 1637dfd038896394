import type { IncomingMessage } from "node:http";
import type { McpEndpoint } from "../../mcp/mcp-endpoint.js";
import { hasToken, isLocal } from "../loopback-server.js";

export interface ExposedServer {
  readonly endpoint: McpEndpoint;
  /** Bearer token with 256 random bits. */
  readonly token: string;
}

interface HttpRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Finds the exposed server for a request. Rejects browsers by Origin and rebound Host names (MCP transports, security warning), and other
 * local programs by the token.
 */
export function admit(
  request: IncomingMessage,
  find: (path: string) => ExposedServer | undefined,
): ExposedServer | HttpRefusal {
  if (!isLocal(request.headers)) return { status: 403 };
  const exposed = find((request.url ?? "").split("?", 1)[0] ?? "");
  // Authorization discovery gets 404, since clients probe before they connect.
  if (!exposed) return { status: 404 };
  if (!hasToken(request.headers, exposed.token)) return { status: 401, headers: { "WWW-Authenticate": "Bearer" } };
  return exposed;
}

export function isRefusal(answer: ExposedServer | HttpRefusal): answer is HttpRefusal {
  return "status" in answer;
}
