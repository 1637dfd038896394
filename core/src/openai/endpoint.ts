import { SymposiumError } from "../base/symposium-error.js";

/** Where the endpoint listens unless another port is chosen. */
export const defaultOpenAiPort = 11_711;

/** The address that clients are given. */
export function openAiAddress(port: number): string {
  return `http://127.0.0.1:${port}/v1`;
}

/** The port after `--port`, or the usual one. Throws `invalid-arguments` for what is no port. */
export function portOf(text: string | undefined): number {
  if (text === undefined) return defaultOpenAiPort;
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new SymposiumError("invalid-arguments", `--port ${text} is no port.`, "Give a number from 0 to 65535.");
}
