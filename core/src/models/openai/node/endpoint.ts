import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { invalidArguments, messageOf, SymposiumError } from "../../../base/symposium-error.js";
import { atomicWrite, readIfThere } from "../../../base/node/atomic-write.js";
import { FileLock } from "../../../base/node/file-lock.js";

/** Default port of the endpoint. */
export const defaultOpenAiPort = 11_711;

export function openAiAddress(port: number): string {
  return `http://127.0.0.1:${port}/v1`;
}

/** Parses the value of `--port`; default: {@link defaultOpenAiPort}. Throws `invalid-arguments` if invalid. */
export function portOf(text: string | undefined): number {
  if (text === undefined) return defaultOpenAiPort;
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw invalidArguments(`--port ${text} isn't a valid port.`, "Use a number from 0 to 65535.");
}

/** Environment variable that contains the access token; Zed reads the same variable. */
export const tokenVariable = "SYMPOSIUM_API_KEY";

export function tokenFileIn(folder: string): string {
  return join(folder, "openai-token");
}

/** Reads the token from `file`, or creates it with 256 random bits. Only the user can read the file. */
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
    `Can't read or write the token file ${file}: ${messageOf(failure)}.`,
    `Check its permissions, or set ${tokenVariable}.`,
  );
}
