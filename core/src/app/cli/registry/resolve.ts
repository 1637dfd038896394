import { SymposiumError } from "../../../base/symposium-error.js";
import type { FoundEntry } from "../../../agents/registry/node/merged-catalogues.js";
import { currentPlatform } from "../../../agents/registry/node/this-machine.js";
import { type InstallPlan, planOf } from "../../../agents/registry/start-plan.js";
import type { EntryKind, RegistryEntry } from "../../../agents/registry/registry-entry.js";
import type { Command } from "../../../base/command.js";
import { selfCommand } from "../../../base/node/self-command.js";
import { commandJson, say } from "../output.js";

export type Install = (entry: RegistryEntry, plan: InstallPlan, kind: EntryKind) => Promise<Command>;

type Start =
  | { readonly kind: "command"; readonly command: Command }
  | { readonly kind: "install"; readonly entry: RegistryEntry; readonly plan: InstallPlan };

export async function resolve(found: FoundEntry, kind: EntryKind, install: Install): Promise<number> {
  const { name } = found.kind === "entry" ? found.entry : found;
  const start = startOf(found);
  const command = start.kind === "command" ? start.command : await install(start.entry, start.plan, kind);
  return say(JSON.stringify({ name, ...commandJson(command) }));
}

export function startOf(found: FoundEntry): Start {
  if (found.kind === "command") return { kind: "command", command: found.command };
  const { entry } = found;
  const start = planOf(entry, currentPlatform());
  switch (start.kind) {
    case "problem":
      throw new SymposiumError("unsupported-distribution", start.message, start.hint);
    case "command":
      return { kind: "command", command: start.command };
    case "symposium": {
      const self = selfCommand();
      return { kind: "command", command: { ...self, args: [...self.args, start.subcommand, ...start.args] } };
    }
    case "install":
      return { kind: "install", entry, plan: start.plan };
  }
}
