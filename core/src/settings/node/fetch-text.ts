import { messageOf } from "../../base/symposium-error.js";
import { fault, type Fault } from "../../base/problem.js";
import { isSafeAddress } from "../address.js";
import { proxiedFetch } from "../../base/node/proxied-fetch.js";

export interface FetchTextOptions {
  /** Limit for the whole answer including redirects. Default 10 s. */
  readonly timeoutMs?: number;
  /** Maximum size of the decoded text. Default 16 MiB. */
  readonly maxBytes?: number;
  /** ETag of a known text; if the text hasn't changed since, the result is `unchanged`. */
  readonly etag?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type FetchedText =
  | { readonly kind: "text"; readonly text: string; readonly etag?: string }
  | { readonly kind: "unchanged" };

const maxRedirects = 5;
const defaultTimeoutMs = 10_000;
const defaultMaxBytes = 16 * 1024 * 1024;

/**
 * Fetches a text by https, or by http from this machine; the same applies to redirects. Never rejects: on failure, returns a fault that
 * names the URL and the error.
 */
export async function fetchText(address: string, options: FetchTextOptions = {}): Promise<FetchedText | Fault> {
  const { timeoutMs = defaultTimeoutMs, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await request(address, { ...options, signal: signal ? AbortSignal.any([timeout, signal]) : timeout });
  } catch (error) {
    const reason = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error);
    return fault(`Can't fetch ${address}: ${reason}.`, "Check the network connection and the proxy settings.");
  }
}

async function request(address: string, options: FetchTextOptions): Promise<FetchedText | Fault> {
  let current = address;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    if (!URL.canParse(current) || !isSafeAddress(new URL(current).href)) {
      return fault(
        `${current} wasn't fetched because it isn't an https address.`,
        "Plain http is allowed only for this machine.",
      );
    }
    const response = await proxiedFetch(current, {
      redirect: "manual",
      signal: options.signal ?? null,
      headers: { accept: "application/json, text/plain;q=0.9, */*;q=0.1", ...tagHeader(options.etag) },
    });
    const target = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
    if (target === null) return await readResponse(current, response, options);
    await response.body?.cancel();
    if (!URL.canParse(target, current))
      return fault(`${current} redirects to "${target}", which isn't a valid address.`);
    current = new URL(target, current).href;
  }
  return fault(`Can't fetch ${address}: more than ${maxRedirects} redirects.`);
}

async function readResponse(
  address: string,
  response: Response,
  { maxBytes = defaultMaxBytes, etag }: FetchTextOptions,
): Promise<FetchedText | Fault> {
  if (response.status === 304 && etag !== undefined) return { kind: "unchanged" };
  if (!response.ok) {
    await response.body?.cancel();
    return fault(`${address} answered ${`${response.status} ${response.statusText}`.trim()}.`);
  }
  const text = await readBody(response, maxBytes);
  if (text === undefined) return fault(`${address} returned more than ${maxBytes} bytes.`);
  const tag = response.headers.get("etag");
  return { kind: "text", text, ...(tag === null ? {} : { etag: tag }) };
}

/** Returns undefined and stops reading if the body is longer than `maxBytes`. */
async function readBody(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tagHeader(etag: string | undefined): Record<string, string> {
  return etag === undefined ? {} : { "if-none-match": etag };
}

/** Returns the reason for a failed request, which `fetch` puts into the error's `cause`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) return "code" in cause && cause.message === "" ? String(cause.code) : cause.message;
  return messageOf(error);
}
