import { createHash } from "node:crypto";
import { serverJson } from "../../../settings/server-edit.js";
import type { ImportCandidate } from "../import-candidates.js";

/**
 * SHA-256 in hexadecimal of the data that the user confirms: name, entry, inputs and locations of secrets. Excludes secret values, since
 * users don't see them and a digest could confirm a guess.
 */
export function importDigest({ server, secrets }: Pick<ImportCandidate, "server" | "secrets">): string {
  const shown = [
    server.name,
    serverJson(server),
    server.inputs ?? [],
    secrets.map(({ name, where }) => ({ name, where })),
  ];
  return createHash("sha256").update(JSON.stringify(shown)).digest("hex");
}
