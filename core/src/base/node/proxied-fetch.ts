const thisMachine = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * `fetch` that supports HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which some supported Node versions lack. Requests to this machine bypass the
 * proxy. Loads the implementation only if a proxy is set.
 */
export const proxiedFetch: typeof fetch = async (input, init) => {
  const proxyOf = (url: URL): URL | undefined => proxyFor(url, process.env);
  if (!proxyOf(new URL(input instanceof Request ? input.url : input))) return fetch(input, init);
  const { tunnelledFetch } = await import("./tunnelled-fetch.js");
  return tunnelledFetch(new Request(input, init), proxyOf);
};

/** Returns the proxy that `env` defines for `url`. Lower-case variables take precedence. */
export function proxyFor(
  { protocol, hostname, port }: URL,
  env: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  const value = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? "";
  const named = (protocol === "https:" && value("HTTPS_PROXY")) || value("HTTP_PROXY");
  if (named === "" || thisMachine.test(hostname)) return undefined;
  const ownPort = port === "" ? { "http:": "80", "https:": "443" }[protocol] : port;
  const isDirect = value("NO_PROXY")
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      const [, name = entry, onlyPort = ownPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const host = name.replace(/^\*?\./, "");
      return entry === "*" || (host !== "" && onlyPort === ownPort && `.${hostname}`.endsWith(`.${host}`));
    });
  return isDirect ? undefined : new URL(named.includes("://") ? named : `http://${named}`);
}
