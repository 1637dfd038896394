import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { atomicWrite, systemCode } from "../../node/atomic-write.js";
import { FileLock } from "../../node/file-lock.js";

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
  const text = await readFile(file, "utf8").catch((failure: unknown) => {
    if (systemCode(failure) === "ENOENT") return "";
    throw failure;
  });
  return text.trim() === "" ? undefined : text.trim();
}

function unusable(file: string, failure: unknown): SymposiumError {
  return new SymposiumError(
    "config-not-written",
    `The token ${file} cannot be read or written: ${messageOf(failure)}.`,
    `Check its permissions, or set ${tokenVariable}.`,
  );
}
