import { isAbsolute, relative, sep } from "node:path";
import { rowOfCommand } from "../agents/agent-quirks.js";
import { installRoot } from "../agents/install/install-place.js";
import type { EntryKind } from "../agents/registry/registry-entry.js";
import type { ProcessComponent } from "../conductor/chain/component.js";
import type { Command } from "../base/command.js";
import { assertNoFault } from "../base/symposium-error.js";
import { agentFault, commandFault } from "../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../settings/managed-policy/node/system-policy.js";

/** Rejects with `forbidden-by-policy` if the organisation doesn't allow an agent or a word of its command. */
export async function assertAgentAllowed(agent: ProcessComponent | "eliza"): Promise<void> {
  const policy = await systemPolicy();
  if (!policy) return;
  if (agent === "eliza") return assertNoFault("forbidden-by-policy", agentFault(policy, { name: agent, known: [agent] }));
  const { name, command } = agent;
  const env = { ...(process.env as Record<string, string>), ...command.env };
  assertNoFault(
    "forbidden-by-policy",
    agentFault(policy, { name, known: agentNames(command) }) ?? commandFault(policy, { name, args: command.args, env }),
  );
}

/** Returns the names that an agent's command vouches for. The name in a configuration is the user's choice, and doesn't count. */
function agentNames(command: Command): readonly string[] {
  const { command: program } = command;
  const row = isPath(program) ? undefined : rowOfCommand(command);
  const own = isAbsolute(program) || !isPath(program) ? [program] : [];
  return [...own, ...installedAs("agent", command), ...(row ? [row.id, ...(row.aliases ?? [])] : [])];
}

/** Returns the id under which Symposium installed a program; empty for other programs. */
export function installedAs(kind: EntryKind, { command, args }: Command): readonly string[] {
  const root = installRoot(kind);
  return [command, ...args].flatMap((word) => {
    const path = isAbsolute(word) ? relative(root, word) : "";
    const [id = ""] = path.split(sep);
    return id === "" || id === ".." || isAbsolute(path) ? [] : [id];
  });
}

function isPath(program: string): boolean {
  return /[\\/]/.test(program);
}
