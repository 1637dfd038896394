import type { EnvHttpProxyAgent } from "undici";

const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] as const;
/** As an URL names it. */
const thisMachine = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** One for the process: it holds the connections to the proxy. */
let agent: EnvHttpProxyAgent | undefined;

/**
 * `fetch` that honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which Node's own does not in every version we support. What this
 * very machine serves is never asked of a proxy, which would look for it on its own. Loads its library only where a proxy is set.
 */
export const proxiedFetch: typeof fetch = async (input, init) => {
  const address = input instanceof Request ? input.url : input;
  const isProxied = proxyVariables.some((name) => (process.env[name] ?? "") !== "");
  if (!isProxied || thisMachine.test(new URL(address).hostname)) return fetch(input, init);
  const undici = await import("undici");
  agent ??= new undici.EnvHttpProxyAgent();
  const options = { ...init, dispatcher: agent } as Parameters<typeof undici.fetch>[1];
  const response = await undici.fetch(address, options);
  // It is of the library's own class, which others do not know for a response; its body is the platform's stream.
  const { body, status, statusText, headers, url } = response;
  const same = new Response(body as ReadableStream | null, { status, statusText, headers: [...headers] });
  return Object.defineProperty(same, "url", { value: url });
};
