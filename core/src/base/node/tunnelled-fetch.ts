import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { PassThrough, pipeline, Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { tunnelAgents } from "./proxy-tunnel.js";

const maxRedirects = 20;
/** Default limit for the time without data, in milliseconds; same value as in Node's `fetch`. */
const defaultSilenceMs = 300_000;
/** Maximum number of encodings of one response. Limits memory; legitimate servers use one encoding. */
const maxEncodings = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Statuses without a body, for which `Response` rejects a body. */
const bodiless = new Set([204, 205, 304]);
/** Headers to drop on a redirect to another origin, and headers that describe a dropped body. */
const ofOrigin = ["authorization", "cookie", "host", "proxy-authorization"];
const ofBody = ["content-encoding", "content-language", "content-length", "content-location", "content-type"];

/** HTTP agents, one pair per proxy, because agents own the connections. */
const agents = new Map<string, ReturnType<typeof tunnelAgents>>();

interface Tunnelled {
  readonly request: Request;
  /** Request body, buffered because a redirect may send it again. */
  readonly body: Buffer | undefined;
  readonly silenceMs: number;
}

/**
 * Implements `fetch` through the proxy that `proxyOf` returns, if any. Rejects like `fetch`: with a `TypeError` that has a cause, or with
 * the signal's abort reason.
 */
export async function tunnelledFetch(
  request: Request,
  proxyOf: (url: URL) => URL | undefined,
  { silenceMs = defaultSilenceMs }: { readonly silenceMs?: number } = {},
): Promise<Response> {
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  let next: Tunnelled = { request, body, silenceMs };
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await answerTo(next, proxyOf(new URL(next.request.url)));
    const location = redirects.has(response.status) ? response.headers.get("location") : null;
    if (location === null || request.redirect === "manual") {
      return Object.defineProperties(response, { url: { value: next.request.url }, redirected: { value: count > 0 } });
    }
    await response.body?.cancel();
    if (request.redirect === "error") throw failed(new Error(`it redirects to ${location}`));
    const url = URL.canParse(location, next.request.url) ? new URL(location, next.request.url) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) throw failed(new Error(`it redirects to ${location}`));
    next = redirected(next, response.status, url);
  }
  throw failed(new Error(`it redirects more than ${maxRedirects} times`));
}

async function answerTo(tunnelled: Tunnelled, proxy: URL | undefined): Promise<Response> {
  const { request, body } = tunnelled;
  if (!proxy) {
    return fetch(new Request(request.url, { ...partsOf(request), body: body ?? null }), { redirect: "manual" });
  }
  request.signal.throwIfAborted();
  try {
    const message = await messageFor(tunnelled, proxy);
    try {
      return toResponse(message, request);
    } catch (thrown) {
      message.destroy();
      throw thrown;
    }
  } catch (thrown) {
    request.signal.throwIfAborted();
    throw failed(thrown);
  }
}

async function messageFor({ request, body, silenceMs }: Tunnelled, proxy: URL): Promise<IncomingMessage> {
  const url = new URL(request.url);
  const known = agents.get(proxy.href) ?? tunnelAgents(proxy);
  agents.set(proxy.href, known);
  const isSecure = url.protocol === "https:";
  const headers = { accept: "*/*", "accept-encoding": "gzip, deflate, br", "user-agent": "node" };
  const sent = (isSecure ? httpsRequest : httpRequest)(url, {
    agent: known[isSecure ? "https:" : "http:"],
    method: request.method,
    headers: { ...headers, ...Object.fromEntries(request.headers) },
    signal: request.signal,
    timeout: silenceMs,
  });
  return new Promise((resolve, reject) => {
    let silent: { destroy(error: Error): unknown } = sent;
    sent.on("timeout", () => silent.destroy(new Error(`${url.host} sent no data for ${silenceMs / 1000} s`)));
    sent.once("response", (message) => {
      silent = message;
      resolve(message);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function toResponse(message: IncomingMessage, { method, signal }: Request): Response {
  const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  if (method === "HEAD" || bodiless.has(status)) {
    message.resume();
    return new Response(null, { status, statusText, headers });
  }
  const stop = (): void =>
    void message.destroy(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
  signal.addEventListener("abort", stop);
  message.once("close", () => signal.removeEventListener("abort", stop));
  const encodings = (headers.get("content-encoding") ?? "").toLowerCase().split(/\s*,\s*/);
  if (encodings.length > maxEncodings) throw new Error(`its content is compressed ${encodings.length} times`);
  const decoders = encodings.reverse().flatMap((encoding) => decoderOf(encoding) ?? []);
  // The reader of the body gets the error, so the callback ignores it.
  const body = pipeline([message, ...decoders, new PassThrough()], () => undefined) as unknown as Readable;
  return new Response(Readable.toWeb(body) as ReadableStream, { status, statusText, headers });
}

/** Returns a decoder that flushes available output immediately, for event streams, and tolerates truncated input. */
function decoderOf(encoding: string): NodeJS.ReadWriteStream | undefined {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH });
    case "deflate":
      return createInflate({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH });
    case "br":
      return createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}

/** Applies the Fetch standard's redirect rules for method, body and headers. */
function redirected({ request, body, silenceMs }: Tunnelled, status: number, url: URL): Tunnelled {
  const { method } = request;
  const isGet = (status === 303 && method !== "HEAD") || (status < 303 && method === "POST");
  const parts = partsOf(request);
  if (isGet) for (const name of ofBody) parts.headers.delete(name);
  if (new URL(request.url).origin !== url.origin) for (const name of ofOrigin) parts.headers.delete(name);
  return {
    request: new Request(url, { ...parts, method: isGet ? "GET" : method }),
    body: isGet ? undefined : body,
    silenceMs,
  };
}

function partsOf({ method, headers, signal }: Request): { method: string; headers: Headers; signal: AbortSignal } {
  return { method, headers: new Headers(headers), signal };
}

function failed(cause: unknown): TypeError {
  return new TypeError("fetch failed", { cause });
}
