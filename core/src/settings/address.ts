const webAddress = /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?(?:[/?#][^\s\\]*)?$/i;
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Returns whether an address may be fetched: https, or http on this machine. Rejects credentials, spaces and backslashes, since parsers
 * disagree about the host.
 */
export function isSafeAddress(address: string): boolean {
  const [, scheme = "", host = ""] = webAddress.exec(address) ?? [];
  return isWebAddress(address) && (scheme.toLowerCase() === "https" || loopbackHost.test(host));
}

/** Returns whether a text is an http or https address without credentials. */
export function isWebAddress(address: string): boolean {
  return webAddress.test(address) && URL.canParse(address);
}
