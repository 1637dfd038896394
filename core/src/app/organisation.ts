import { isAbsolute, relative, sep } from "node:path";
import { rowOfCommand } from "../agents/agent-quirks.js";
import { installRoot } from "../agents/install/install-place.js";
import type { EntryKind } from "../agents/registry/registry-entry.js";
import type { ProcessComponent } from "../conductor/chain/component.js";
import type { Command } from "../base/command.js";
import { assertNoFault } from "../base/symposium-error.js";
import type { Proxy } from "../conductor/chain/proxy.js";
import {
  agentFault,
  bypassForbiddenBy,
  commandFault,
  type ManagedPolicy,
  serverFault,
  serversLimitedBy,
  tightened,
} from "../settings/managed-policy/managed-policy.js";
import type { Settings } from "../settings/settings-table.js";
import { organisationRules } from "../guard/node/organisation-rules.js";
import { systemPolicy } from "../settings/managed-policy/node/system-policy.js";

/** Rejects with `forbidden-by-policy` if the organisation doesn't allow an agent or a word of its command. */
export async function assertAgentAllowed(agent: ProcessComponent | "eliza"): Promise<void> {
  const policy = await systemPolicy();
  if (!policy) return;
  if (agent === "eliza") {
    assertNoFault("forbidden-by-policy", agentFault(policy, { name: agent, known: [agent] }));
    return;
  }
  const { name, command } = agent;
  const env = { ...(process.env as Record<string, string>), ...command.env };
  assertNoFault(
    "forbidden-by-policy",
    agentFault(policy, { name, known: agentNames(command) }) ?? commandFault(policy, { name, args: command.args, env }),
  );
}

/** Proxies that apply a policy to sessions. */
export interface OrganisationLimits {
  /** Removes MCP servers from the client; undefined if all are allowed. */
  readonly servers: Proxy | undefined;
  /** Keeps agents from working without asking; undefined if they may. */
  readonly modes: Proxy | undefined;
}

/**
 * Applies the machine's policy to settings. Rejects with `invalid-policy` if the policy can't be applied, so that nothing starts. `limits`
 * are undefined without a policy.
 */
export async function withPolicy(
  given: Settings,
): Promise<{ readonly settings: Settings; readonly limits: OrganisationLimits | undefined }> {
  const [policy] = await Promise.all([systemPolicy(), organisationRules()]);
  return { settings: tightened(policy, given), limits: policy && (await organisationLimits(policy)) };
}

/** Makes the proxies that a policy needs. Loads their code on demand, since most machines have no policy. */
export async function organisationLimits(policy: ManagedPolicy): Promise<OrganisationLimits> {
  const file = bypassForbiddenBy(policy);
  return {
    servers: serversLimitedBy(policy) === undefined ? undefined : await serversProxy(policy),
    modes: file === undefined ? undefined : (await import("../guard/bypass-proxy.js")).bypassProxy(file),
  };
}

async function serversProxy(policy: ManagedPolicy): Promise<Proxy> {
  const [{ allowedServersProxy }, { serverIdentity }, { parseMcpServerEntry }] = await Promise.all([
    import("../context/servers/allowed-servers-proxy.js"),
    import("../settings/managed-policy/node/server-identity.js"),
    import("../base/mcp/mcp-server-entry.js"),
  ]);
  return allowedServersProxy(async (entry) => {
    const server = parseMcpServerEntry(entry);
    if (typeof server === "string") return server;
    // Extensions, which have their own limit, and the editor itself serve these servers.
    if (server.type === "acp") return undefined;
    return serverFault(policy, server.name, await serverIdentity(server))?.message;
  });
}

/** Returns the names that an agent's command vouches for. The name in a configuration is the user's choice, and doesn't count. */
function agentNames(command: Command): readonly string[] {
  const { command: program } = command;
  const row = isPath(program) ? undefined : rowOfCommand({ ...command, args: packageOf(command) });
  const own = isAbsolute(program) || !isPath(program) ? [program] : [];
  return [...own, ...installedAs("agent", command), ...(row ? [row.id, ...(row.aliases ?? [])] : [])];
}

/** Returns the id under which Symposium installed a program; empty for other programs. Arguments of the program don't count. */
export function installedAs(kind: EntryKind, { command, args }: Command): readonly string[] {
  const own = installIdOf(kind, command);
  if (own !== undefined) return [own];
  // Node loads a package's preload file before its program.
  const files = args[0] === "--require" ? args.slice(1, 3) : args.slice(0, 1);
  const [id, ...others] = files.map((file) => installIdOf(kind, file));
  return id !== undefined && others.every((other) => other === id) ? [id] : [];
}

function installIdOf(kind: EntryKind, word: string): string | undefined {
  const path = isAbsolute(word) ? relative(installRoot(kind), word) : "";
  const [id = ""] = path.split(sep);
  return id === "" || id === ".." || isAbsolute(path) ? undefined : id;
}

/** Returns the package that a package runner starts; empty for other programs, whose arguments don't choose the program. */
function packageOf({ command, args }: Command): readonly string[] {
  return /^(?:npx|bunx)(?:\.cmd|\.exe)?$/i.test(command)
    ? args.filter((word) => word !== "-y" && word !== "--yes").slice(0, 1)
    : [];
}

function isPath(program: string): boolean {
  return /[\\/]/.test(program);
}
