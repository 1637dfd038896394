import { join } from "node:path";
import type { InstalledVersion, InstallState, Launch } from "../../registry/install-state.js";
import type { Command } from "../../settings/command.js";
import type { InstallFolder } from "./install-folder.js";

/** A version that can be started. */
export interface Installed {
  readonly id: string;
  readonly version: string;
  /** With absolute paths. */
  readonly command: Command;
  /** Absolute path of the version's folder. */
  readonly folder: string;
  /** The version that updates leave alone. */
  readonly pinned?: string;
  /** What a rollback returns to. */
  readonly previous?: string;
}

export function toInstalled(
  id: string,
  folder: InstallFolder,
  { version, folder: name, launch, args, env }: InstalledVersion,
  { current, pinned, previous }: InstallState,
  node: string,
): Installed {
  const root = folder.at(name);
  const [command, ...leading] = programOf(launch, root, node);
  const before = current === version ? previous : current;
  return {
    id,
    version,
    command: { command, args: [...leading, ...args], env },
    folder: root,
    ...(pinned !== undefined && { pinned }),
    ...(before !== undefined && { previous: before }),
  };
}

function programOf(launch: Launch, root: string, node: string): readonly [string, ...string[]] {
  const at = (path: string): string => join(root, ...path.split("/"));
  switch (launch.runner) {
    case "self":
      return [at(launch.file)];
    case "node":
      return [node, ...(launch.preload === undefined ? [] : ["--require", at(launch.preload)]), at(launch.file)];
    case "own":
      return [at(launch.interpreter), at(launch.file)];
  }
}
