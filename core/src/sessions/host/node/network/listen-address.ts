import { isIP } from "node:net";
import { SymposiumError } from "../../../../base/symposium-error.js";

export interface ListenAddress {
  /** IP address without brackets. */
  readonly ip: string;
  readonly port: number;
  /** True if only this machine can connect. */
  readonly isLoopback: boolean;
}

/** Parses `IP:PORT` or `localhost:PORT`, with IPv6 addresses in brackets. Throws `invalid-arguments` if invalid. */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain = "", digits = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const ip = bracketed ?? (plain === "localhost" ? "127.0.0.1" : plain);
  const port = Number(digits);
  if (isIP(ip) === (bracketed === undefined ? 4 : 6) && digits !== "" && port < 65_536) {
    return { ip, port, isLoopback: ip.startsWith("127.") || ip === "::1" };
  }
  throw new SymposiumError(
    "invalid-arguments",
    `--listen ${text} isn't an address with a port.`,
    "Use for example 127.0.0.1:8780.",
  );
}

/** Returns the address of the endpoint for clients. */
export function endpointUrl({ ip, port }: Pick<ListenAddress, "ip" | "port">, hasTls: boolean): string {
  return `${hasTls ? "https" : "http"}://${isIP(ip) === 6 ? `[${ip}]` : ip}:${port}${endpointPath}`;
}

/** Path of the transport's one endpoint. */
export const endpointPath = "/acp";
