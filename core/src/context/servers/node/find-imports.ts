import type { UserServer } from "../../../settings/user-server.js";
import { loadSecretRules } from "../../../base/secrets/node/secret-rules.js";
import type { Machine } from "../formats/server-files.js";
import { type ImportCandidate, importCandidates } from "../import-candidates.js";
import { secretName } from "./expand-launch.js";
import { findJetBrainsFlags, findServers } from "./find-servers.js";
import { SecretFile } from "./secrets/secret-file.js";

export interface FoundImports {
  readonly candidates: readonly ImportCandidate[];
  readonly fileCount: number;
  /** Reasons why files couldn't be read. */
  readonly problems: readonly { readonly path: string; readonly problem: string }[];
  /** Agents that get the JetBrains IDE's servers; undefined stands for agents without their own setting. */
  readonly jetBrainsAgents: readonly (string | undefined)[];
}

/** Finds other products' servers that can be imported. Starts and writes nothing. */
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

function secretNames(kept: readonly string[]): readonly string[] {
  const prefix = secretName("");
  return kept.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}
