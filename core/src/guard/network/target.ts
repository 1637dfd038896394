import { addressText, type IpAddress, readAddress } from "./ip-address.js";

/** Target of a connection in normalized form. */
export interface Target {
  /** Lowercase host without a trailing dot. IPv6 addresses have brackets, as in URLs. */
  readonly host: string;
  readonly port: number;
  /** IP address of the host; undefined if the host is a name. */
  readonly address?: IpAddress;
}

/**
 * Parses a host: an ASCII name, or an IP address in any form. Returns undefined for control characters, user names, percent signs, Unicode
 * (programs send such names as `xn--…`), zones and empty labels.
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
  // A host whose last part is a number is an IP address or invalid, since no internet name ends that way.
  if (!/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name)) return { host: name, port };
  const address = readAddress(name);
  return address && { host: hostOfAddress(address), port, address };
}

/** Parses `HOST:PORT`. If there is a default port, also accepts `HOST`. */
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
