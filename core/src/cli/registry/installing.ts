import type { OnProgress } from "../../node/install/install-progress.js";
import { Installer } from "../../node/install/installer.js";
import { canonicalAgentId } from "../../registry/built-in-agents.js";
import type { EntryKind } from "../../registry/registry-entry.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { openEnvironment } from "../environment.js";
import { untilSignal } from "../until-signal.js";
import { installRoot, packageNode } from "./install-place.js";
import { warn } from "./output.js";
import { ProgressDisplay } from "./progress-display.js";

/** What a subcommand installs with. */
export interface Installing {
  readonly installers: Readonly<Record<EntryKind, Installer>>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Draws on stderr. */
  readonly onProgress: OnProgress;
  /** Writes a line on stderr, beside the progress. */
  readonly report: (line: string) => void;
}

/** Does `work` with the installers of this user. A signal undoes what it began, and ends the process. */
export async function withInstallers<T>(
  log: string | undefined,
  work: (installing: Installing) => Promise<T>,
): Promise<T> {
  await using environment = await openEnvironment({ log, traceDir: undefined, settings: defaultSettings });
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

/** Where something is installed. */
export interface InstalledPlace {
  readonly kind: EntryKind;
  readonly id: string;
}

/** What `name` is installed as: `preferred`, or another name's agent, or the other kind; the first where none is. */
export async function placeOf(name: string, preferred: EntryKind, { installers }: Installing): Promise<InstalledPlace> {
  const other = preferred === "agent" ? "extension" : "agent";
  const first = { kind: preferred, id: name };
  const places = [first, { kind: "agent", id: canonicalAgentId(name) }, { kind: other, id: name }] as const;
  for (const place of places) if (await installers[place.kind].holds(place.id)) return place;
  return first;
}
