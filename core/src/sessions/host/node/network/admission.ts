import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hasToken, hostName, isLoopbackName } from "../../../../base/node/loopback-server.js";
import { endpointPath } from "./listen-address.js";

export interface Admission {
  readonly token: string;
  /** Origins of web pages that may connect, such as `https://app.example`. */
  readonly origins: ReadonlySet<string>;
  /** Certificate whose names clients may use for this machine, in addition to the loopback names. */
  readonly certificate?: X509Certificate | undefined;
}

/**
 * Returns the HTTP status with which to refuse a request; undefined to admit it. Refuses web pages by `Origin`, rebound names by `Host`, and
 * clients without the token.
 */
export function refusalOf(request: IncomingMessage, { token, origins, certificate }: Admission): number | undefined {
  const { headers, url = "" } = request;
  const { origin } = headers;
  if (origin !== undefined && !origins.has(origin)) return 403;
  const name = hostName(headers);
  if (!isLoopbackName(name) && !isNamed(certificate, name)) return 403;
  if (url.split("?", 1)[0] !== endpointPath) return 404;
  // Browsers send this request without the token before they let a page connect.
  if (origin !== undefined && request.method === "OPTIONS") return undefined;
  return hasToken(headers, token) ? undefined : 401;
}

function isNamed(certificate: X509Certificate | undefined, name: string | undefined): boolean {
  if (!certificate || name === undefined) return false;
  const ip = name.replace(/^\[(.*)\]$/, "$1");
  return (isIP(ip) === 0 ? certificate.checkHost(name) : certificate.checkIP(ip)) !== undefined;
}
