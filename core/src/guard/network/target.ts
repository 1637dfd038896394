import { addressText, type IpAddress, readAddress } from "./ip-address.js";

/** Normalized target of a connection. */
export interface Target {
  /** Lowercase host without a trailing dot. IPv6 addresses have brackets, as in URLs. */
  readonly host: string;
  readonly port: number;
  /** Set if the host is an address. */
  readonly address?: IpAddress;
}

/**
 * Parses a host: an ASCII name, or an address in any form. Returns undefined for other input: control characters, user names, percent
 * signs, Unicode (programs send such names as `xn--…`), zones and empty labels.
 */
export function readTarget(host: string, port: number): Target | undefined {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  const inBrackets = /^\[([0-9A-Fa-f:.]+)\]$/.exec(host)?.[1];
  if (inBrackets !== undefined) {
    const address = inBrackets.includes(":") ? readAddress(inBrackets) : undefined;
    return address && { host: hostOfAddress(address), port, address };
  }
  const name = host.toLowerCase().replace(/\.$/, "");
  if (name.length > 253 || !name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) return undefined;
  // A host that ends with a number is an address or invalid; no internet name does.
  if (!/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name)) return { host: name, port };
  const address = readAddress(name);
  return address && { host: hostOfAddress(address), port, address };
}

/** Parses `HOST:PORT`, or `HOST` if there is a default port. */
export function readAuthority(text: string, usualPort?: number): Target | undefined {
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const number = port === undefined ? usualPort : Number(port);
  return number === undefined ? undefined : readTarget(host, number);
}

export function hostOfAddress(address: IpAddress): string {
  return address.length === 4 ? addressText(address) : `[${addressText(address)}]`;
}

export function targetText({ host, port }: Target): string {
  return `${host}:${port}`;
}
