import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ExposedServer } from "./loopback-bridge.js";

/** Why a request is turned away, as an HTTP status. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const loopbackHosts = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Finds the exposed server a request is for. Browsers are kept out by their Origin and by rebound Host names
 * (MCP transports, security warning), other local programs by the token.
 */
export function admit(
  request: IncomingMessage,
  find: (path: string) => ExposedServer | undefined,
): ExposedServer | Refusal {
  if (!isLoopback(`http://${request.headers.host ?? ""}`)) return { status: 403 };
  const { origin } = request.headers;
  if (origin !== undefined && !isLoopback(origin)) return { status: 403 };
  const exposed = find((request.url ?? "").split("?", 1)[0] ?? "");
  // Discovery of authorization servers is answered plainly: there is none (clients probe before they connect).
  if (!exposed) return { status: 404 };
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
  if (!isSame(token, exposed.token)) return { status: 401, headers: { "WWW-Authenticate": "Bearer" } };
  return exposed;
}

export function isRefusal(answer: ExposedServer | Refusal): answer is Refusal {
  return "status" in answer;
}

/** Whether an address is one of this machine's own. */
export function isLoopback(url: string): boolean {
  try {
    return loopbackHosts.has(new URL(url).hostname);
  } catch {
    return false;
  }
}

/** Compares digests, so that neither length nor content can be timed. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
