import type { EnvHttpProxyAgent } from "undici";

const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] as const;

/** One for the process: it holds the connections to the proxy. */
let agent: EnvHttpProxyAgent | undefined;

/**
 * `fetch` that honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which Node's own does not in every version we support.
 * Loads its library only where a proxy is set.
 */
export const proxiedFetch: typeof fetch = async (input, init) => {
  if (!proxyVariables.some((name) => (process.env[name] ?? "") !== "")) return fetch(input, init);
  const undici = await import("undici");
  agent ??= new undici.EnvHttpProxyAgent();
  const address = input instanceof Request ? input.url : input;
  const options = { ...init, dispatcher: agent } as Parameters<typeof undici.fetch>[1];
  // Its Response is the platform's interface; only the declarations of the two differ.
  return undici.fetch(address, options);
};
