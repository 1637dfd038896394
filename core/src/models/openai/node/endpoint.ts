import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import { atomicWrite, readIfThere } from "../../../base/node/atomic-write.js";
import { FileLock } from "../../../base/node/file-lock.js";

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
  throw new SymposiumError("invalid-arguments", `--port ${text} is not a port.`, "Give a number from 0 to 65535.");
}

/** The variable that holds the token; Zed looks for it under this name too. */
export const tokenVariable = "SYMPOSIUM_API_KEY";

/** Where the token is kept in the product's folder. */
export function tokenFileIn(folder: string): string {
  return join(folder, "openai-token");
}

/** The token in `file`, which only the user can read; made of 256 random bits where there is none, once. */
export async function tokenOf(file: string): Promise<string> {
  try {
    return (await read(file)) ?? (await make(file));
  } catch (failure) {
    throw unusable(file, failure);
  }
}

async function make(file: string): Promise<string> {
  await using _lock = await FileLock.take(file);
  const known = await read(file);
  if (known !== undefined) return known;
  const token = randomBytes(32).toString("base64url");
  await atomicWrite(file, `${token}\n`);
  return token;
}

async function read(file: string): Promise<string | undefined> {
  const text = (await readIfThere(file))?.trim();
  return text === "" ? undefined : text;
}

function unusable(file: string, failure: unknown): SymposiumError {
  return new SymposiumError(
    "config-not-written",
    `The token ${file} cannot be read or written: ${messageOf(failure)}.`,
    `Check its permissions, or set ${tokenVariable}.`,
  );
}
