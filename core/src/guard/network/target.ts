import { addressText, type IpAddress, readAddress } from "./ip-address.js";

/** Where a program wants to connect to, in one spelling. */
export interface Target {
  /** In lower case, without a dot at its end; an address of IPv6 stands in brackets, as in URLs. */
  readonly host: string;
  readonly port: number;
  /** Where it is named by an address. */
  readonly address?: IpAddress;
}

/**
 * Reads what a program has written for a host: a name of ASCII letters, or an address in whatever form. Undefined for everything else:
 * NUL and other bytes, user names, percent signs, Unicode (programs send such names as `xn--…`), a zone, an empty label.
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
  // What ends with a number is an address, or nothing: no name of the internet does.
  if (!/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name)) return { host: name, port };
  const address = readAddress(name);
  return address && { host: hostOfAddress(address), port, address };
}

/** Reads `HOST:PORT`, or `HOST` where there is a usual port. */
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
