import type { UserServer } from "../../../settings/user-server.js";
import { loadSecretRules } from "../../../base/secrets/node/secret-rules.js";
import type { Machine } from "../formats/server-files.js";
import { type ImportCandidate, importCandidates } from "../import-candidates.js";
import { secretName } from "./expand-launch.js";
import { findJetBrainsFlags, findServers } from "./find-servers.js";
import { SecretFile } from "./secrets/secret-file.js";

/** What could be imported on a machine. */
export interface FoundImports {
  readonly candidates: readonly ImportCandidate[];
  /** How many files have servers. */
  readonly fileCount: number;
  /** What could not be read, with its file. */
  readonly problems: readonly { readonly path: string; readonly problem: string }[];
  /** The agents that a JetBrains IDE gives its own servers to; undefined for all that say nothing. */
  readonly jetBrainsAgents: readonly (string | undefined)[];
}

/** Looks for servers of other products, beside those that the user has. Nothing is started or written. */
export async function findImports(
  machine: Machine,
  existing: readonly UserServer[],
  secrets = new SecretFile(),
): Promise<FoundImports> {
  const [files, flags, kept, find] = await Promise.all([
    findServers(machine),
    findJetBrainsFlags(machine),
    secrets.names().catch(() => []),
    loadSecretRules(),
  ]);
  return {
    candidates: importCandidates(files, { servers: existing, secrets: secretNames(kept) }, find),
    fileCount: files.filter(({ servers }) => servers.length > 0).length,
    problems: files.flatMap(({ path, problems }) => problems.map((problem) => ({ path, problem }))),
    jetBrainsAgents: flags.flatMap(({ agent, givesOwn }) => (givesOwn ? [agent] : [])),
  };
}

/** The names that stand in `${secret:NAME}`, of all that is kept. */
function secretNames(kept: readonly string[]): readonly string[] {
  const prefix = secretName("");
  return kept.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}
