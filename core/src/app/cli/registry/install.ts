import type { Installed } from "../../../agents/install/install-place.js";
import type { FoundEntry } from "../../../agents/registry/node/merged-catalogues.js";
import type { InstallPlan } from "../../../agents/registry/start-plan.js";
import type { EntryKind } from "../../../agents/registry/registry-entry.js";
import type { Command } from "../../../base/command.js";
import { commandJson, installedJson, say, warn } from "../output.js";
import { startOf } from "./resolve.js";
import type { OnProgress } from "../../../base/node/archives/install-progress.js";
import { Installer } from "../../../agents/install/installer.js";
import { canonicalAgentId } from "../../../agents/registry/built-in-agents.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { openEnvironment } from "../../environment.js";
import { untilSignal } from "../until-signal.js";
import { installRoot, packageNode } from "../../../agents/install/install-place.js";
import { ProgressDisplay } from "./progress-display.js";

export interface InstallCall {
  readonly isJson: boolean;
  /** Kind of entry that the arguments name. If an id is installed only as the other kind, that kind applies. */
  readonly kind: EntryKind;
  readonly log: string | undefined;
}

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

export async function installedStart(plan: InstallPlan, kind: EntryKind, log: string | undefined): Promise<Command> {
  return (await installPlan(plan, kind, log)).command;
}

function installPlan(plan: InstallPlan, kind: EntryKind, log: string | undefined): Promise<Installed> {
  return withInstallers(log, ({ installers, ...options }) =>
    installers[kind].install(plan, { ...options, role: roleOf(kind) }),
  );
}

export function roleOf(kind: EntryKind): "agent" | "proxy" {
  return kind === "agent" ? "agent" : "proxy";
}

export interface Installing {
  readonly installers: Readonly<Record<EntryKind, Installer>>;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  readonly report: (line: string) => void;
}

/** Runs `work` with the user's installers. A signal rolls back the work and ends the process. */
export async function withInstallers<T>(
  log: string | undefined,
  work: (installing: Installing) => Promise<T>,
): Promise<T> {
  await using environment = await openEnvironment({ values: { log }, settings: defaultSettings });
  using display = new ProgressDisplay(process.stderr);
  const installerOf = (kind: EntryKind): Installer =>
    new Installer({
      folder: installRoot(kind),
      logger: environment.logger.child("install"),
      startProcess: environment.chain.startProcess,
      env: process.env,
      node: packageNode(),
    });
  const installers = { agent: installerOf("agent"), extension: installerOf("extension") };
  const report = (line: string): void => {
    display.clear();
    warn(line);
  };
  return await untilSignal(
    environment,
    (signal) => work({ installers, signal, onProgress: (progress) => display.show(progress), report }),
    () => report("Cancelled."),
  );
}

interface InstalledPlace {
  readonly kind: EntryKind;
  readonly id: string;
}

/**
 * Finds the installation of `name`: first as the `preferred` kind, then under its canonical agent id, then as the other kind. Returns the
 * first candidate if nothing is installed.
 */
export async function placeOf(name: string, preferred: EntryKind, { installers }: Installing): Promise<InstalledPlace> {
  const other = preferred === "agent" ? "extension" : "agent";
  const first = { kind: preferred, id: name };
  const places = [first, { kind: "agent", id: canonicalAgentId(name) }, { kind: other, id: name }] as const;
  for (const place of places) if (await installers[place.kind].holds(place.id)) return place;
  return first;
}
