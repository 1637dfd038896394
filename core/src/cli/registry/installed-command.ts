import { join } from "node:path";
import { type Installed, toInstalled } from "../../node/install/installed.js";
import { InstallFolder, isFileWithin } from "../../node/install/install-folder.js";
import { isInstallId } from "../../registry/install-name.js";
import { versionIn } from "../../registry/install-state.js";
import type { EntryKind } from "../../registry/registry-entry.js";
import type { Command } from "../../settings/command.js";
import { installRoot, packageNode } from "./install-place.js";

/** How the agent or extension that is installed as `id` starts; undefined when nothing is. */
export async function installedCommand(kind: EntryKind, id: string): Promise<Command | undefined> {
  return (await findInstalled(kind, id))?.command;
}

/** What is installed as `id`; undefined when nothing that can start is. Looks at its folder alone, so it costs a start little. */
export async function findInstalled(kind: EntryKind, id: string): Promise<Installed | undefined> {
  if (!isInstallId(id)) return undefined;
  const folder = new InstallFolder(join(installRoot(kind), id));
  const state = await folder.readState();
  const current = versionIn(state, state.current);
  if (!current || !(await isFileWithin(folder.at(current.folder), current.launch.file))) return undefined;
  return toInstalled(id, folder, current, state, packageNode());
}
