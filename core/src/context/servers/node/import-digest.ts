import { createHash } from "node:crypto";
import { serverJson } from "../../../settings/server-edit.js";
import type { ImportCandidate } from "../import-candidates.js";

/**
 * The sha256, in hexadecimal, of what a user is shown of `candidate` and config.jsonc would get: its name, its entry, its
 * inputs, and where secrets stand. Their values are left out: nobody is shown them, and a digest could confirm a guess.
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
