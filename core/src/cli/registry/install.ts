import type { Installed } from "../../node/install/installed.js";
import type { FoundEntry } from "../../node/registry/agent-registry.js";
import type { InstallPlan } from "../../registry/install-plan.js";
import type { EntryKind } from "../../registry/registry-entry.js";
import type { Command } from "../../settings/command.js";
import { withInstallers } from "./installing.js";
import { commandJson, installedJson, say } from "./output.js";
import { startOf } from "./resolve.js";

/** How a subcommand that changes installations was called. */
export interface InstallCall {
  readonly isJson: boolean;
  /** What the words after the verb are about; where an id is installed as the other kind alone, as that. */
  readonly kind: EntryKind;
  /** As for `--log`. */
  readonly log: string | undefined;
}

/** `registry install`: installs what was found, or says that nothing has to be. */
export async function install(found: FoundEntry, kind: EntryKind, { isJson, log }: InstallCall): Promise<number> {
  const start = startOf(found);
  if (start.kind === "install") {
    const installed = await installPlan(start.plan, kind, log);
    return say(
      isJson ? JSON.stringify(installedJson(installed)) : `${installed.id} ${installed.version} is installed.`,
    );
  }
  const id = found.kind === "entry" ? found.entry.id : found.name;
  if (isJson) return say(JSON.stringify({ id, ...commandJson(start.command) }));
  return say(`${id} needs no installation.`);
}

/** Installs `plan` unless it is there, with progress on stderr, and says how it starts. */
export async function installedStart(plan: InstallPlan, kind: EntryKind, log: string | undefined): Promise<Command> {
  return (await installPlan(plan, kind, log)).command;
}

function installPlan(plan: InstallPlan, kind: EntryKind, log: string | undefined): Promise<Installed> {
  return withInstallers(log, ({ installers, ...options }) =>
    installers[kind].install(plan, { ...options, role: roleOf(kind) }),
  );
}

/** What an entry is in a chain. */
export function roleOf(kind: EntryKind): "agent" | "proxy" {
  return kind === "agent" ? "agent" : "proxy";
}
