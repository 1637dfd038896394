import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

const loopbackHosts = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Whether a program or a page of this machine asks: browsers of others are known by their Origin and by rebound Host names. */
export function isLocal({ host, origin }: IncomingHttpHeaders): boolean {
  return isLoopback(`http://${host ?? ""}`) && (origin === undefined || isLoopback(origin));
}

/** Whether the request carries `token`, which keeps out the other programs of this machine. */
export function hasToken({ authorization }: IncomingHttpHeaders, token: string): boolean {
  return isSame(/^Bearer (\S+)$/i.exec(authorization ?? "")?.[1] ?? "", token);
}

function isLoopback(url: string): boolean {
  try {
    return loopbackHosts.has(new URL(url).hostname);
  } catch {
    return false;
  }
}

/** Compares digests, so that neither length nor content can be timed. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
