import { createHash } from "node:crypto";
import { serverJson } from "../../../settings/server-edit.js";
import type { ImportCandidate } from "../import-candidates.js";

/**
 * Returns the SHA-256 in hexadecimal of the data that the user confirms: name, entry, inputs and locations of secrets. Excludes the
 * secrets' values, since users don't see them and the digest could confirm a guess.
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
