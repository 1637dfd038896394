import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { atomicWrite } from "../atomic-write.js";

/** The variable that holds the token; Zed looks for it under this name too. */
export const tokenVariable = "SYMPOSIUM_API_KEY";

/** Where the token is kept in the product's folder. */
export function tokenFileIn(folder: string): string {
  return join(folder, "openai-token");
}

/** The token in `file`, which only the user can read; made of 256 random bits where there is none. */
export async function tokenOf(file: string): Promise<string> {
  const known = await readFile(file, "utf8").catch((failure: unknown) => {
    if (failure instanceof Error && "code" in failure && failure.code === "ENOENT") return "";
    throw unusable(file, failure);
  });
  if (known.trim() !== "") return known.trim();
  const token = randomBytes(32).toString("base64url");
  await atomicWrite(file, `${token}\n`).catch((failure: unknown) => {
    throw unusable(file, failure);
  });
  return token;
}

function unusable(file: string, failure: unknown): SymposiumError {
  return new SymposiumError(
    "config-not-written",
    `The token ${file} cannot be read or written: ${messageOf(failure)}.`,
    `Check its permissions, or set ${tokenVariable}.`,
  );
}
