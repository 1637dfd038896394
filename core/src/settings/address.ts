const webAddress = /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?(?:[/?#][^\s\\]*)?$/i;
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Whether what is behind an address may be fetched: https, or plain http on this very machine. An address with
 * credentials, spaces or backslashes is refused, because parsers disagree about its host.
 */
export function isSafeAddress(address: string): boolean {
  const [, scheme = "", host = ""] = webAddress.exec(address) ?? [];
  return scheme.toLowerCase() === "https" || (scheme !== "" && loopbackHost.test(host));
}
