import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { sizeWords } from "../registry/download-size.js";
import { isSafeAddress } from "../../settings/address.js";
import { proxiedFetch } from "../../base/node/proxied-fetch.js";
import { installFailed, reasonOf } from "../../base/node/install-failure.js";
import type { InstallContext } from "../../base/node/archives/install-progress.js";

interface DownloadOptions extends InstallContext {
  readonly maxBytes: number;
  readonly fetch?: typeof fetch;
  /** Maximum time without data from the server; default 60 s. */
  readonly silenceMs?: number;
}

interface Download {
  /** SHA-256 of the downloaded file, in lower-case hexadecimal. */
  readonly digest: string;
  readonly bytes: number;
}

const maxRedirects = 10;

/** Downloads `url` into the new file `file`. Every redirect must use https or lead to this machine. */
export async function download(url: string, file: string, options: DownloadOptions): Promise<Download> {
  const silence = new AbortController();
  const { silenceMs = 60_000 } = options;
  const timer = setTimeout(() => silence.abort(new Error(`the server sent no data for ${silenceMs} ms`)), silenceMs);
  try {
    const signal = AbortSignal.any([options.signal, silence.signal]);
    const response = await request(url, signal, options.fetch ?? proxiedFetch);
    return await save(response, url, file, options, () => void timer.refresh());
  } catch (thrown) {
    options.signal.throwIfAborted();
    if (!(thrown instanceof Error) || thrown.name === "SymposiumError") throw thrown;
    throw installFailed(`"${url}" cannot be downloaded`, reasonOf(thrown), undefined, thrown);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Asks the server for the size of `url` in bytes. Undefined if the server doesn't report the size. */
export async function contentLength(
  url: string,
  signal: AbortSignal,
  fetchIt: typeof fetch = proxiedFetch,
): Promise<number | undefined> {
  const response = await request(url, signal, fetchIt, "HEAD");
  await response.body?.cancel();
  return response.ok ? lengthOf(response) : undefined;
}

async function request(
  url: string,
  signal: AbortSignal,
  fetchIt: typeof fetch,
  method: "GET" | "HEAD" = "GET",
): Promise<Response> {
  let address = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    if (!isSafeAddress(address)) {
      const via = address === url ? "" : ` (redirected from "${url}")`;
      throw installFailed(
        `"${address}"${via} can't be downloaded`,
        "it isn't an HTTPS address",
        "Ask the publisher for an HTTPS address.",
      );
    }
    const response = await fetchIt(address, {
      method,
      redirect: "manual",
      signal,
      headers: { "accept-encoding": "identity" },
    });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    address = new URL(location, address).href;
  }
  throw installFailed(`"${url}" cannot be downloaded`, `it redirects more than ${maxRedirects} times`);
}

async function save(
  response: Response,
  url: string,
  file: string,
  { maxBytes, onProgress, signal }: DownloadOptions,
  onData: () => void,
): Promise<Download> {
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw installFailed(
      `"${url}" cannot be downloaded`,
      `the server returned HTTP status ${response.status}`,
      hintFor(response),
    );
  }
  const known = lengthOf(response);
  const text = `Downloading ${url}, ${sizeWords(known === undefined ? { kind: "unknown" } : { kind: "file", bytes: known })}`;
  const hash = createHash("sha256");
  let bytes = 0;
  const handle = await open(file, "wx", 0o600);
  try {
    if (known !== undefined && known > maxBytes) throw tooLarge(url, maxBytes);
    onProgress({ step: "download", text, bytes });
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      onData();
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge(url, maxBytes);
      hash.update(piece);
      await handle.writeFile(piece);
      signal.throwIfAborted();
      const total = known === undefined ? {} : { totalBytes: known };
      onProgress({ step: "download", text, bytes, ...total });
    }
  } finally {
    await handle.close();
  }
  if (known !== undefined && bytes !== known) throw new Error(`the server sent ${bytes} of ${known} bytes`);
  return { digest: hash.digest("hex"), bytes };
}

function lengthOf({ headers }: Response): number | undefined {
  const length = Number(headers.get("content-length") ?? Number.NaN);
  return Number.isSafeInteger(length) && !headers.has("content-encoding") ? length : undefined;
}

function tooLarge(url: string, maxBytes: number): Error {
  return installFailed(
    `"${url}" was not downloaded`,
    `it is larger than ${maxBytes} bytes`,
    "Report it to its publisher.",
  );
}

function hintFor({ status }: Response): string {
  if (status === 404 || status === 410)
    return "The file no longer exists: update the registry, or choose another version.";
  if (status === 401 || status === 403) return "The server requires a sign-in, or a network filter blocks it.";
  if (status === 407) return "The network's proxy requires a sign-in: check HTTPS_PROXY.";
  return "Try again later.";
}
