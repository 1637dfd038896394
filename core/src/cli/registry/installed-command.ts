import { join } from "node:path";
import { toInstalled } from "../../node/install/installed.js";
import { InstallFolder, isFileWithin } from "../../node/install/install-folder.js";
import { isInstallId } from "../../registry/install-name.js";
import { versionIn } from "../../registry/install-state.js";
import type { Command } from "../../settings/command.js";
import { installRoot, packageNode } from "./install-place.js";

/** How what is installed as `id` starts; undefined when nothing is. Looks at its folder alone, so it costs a start little. */
export async function installedCommand(id: string): Promise<Command | undefined> {
  if (!isInstallId(id)) return undefined;
  const folder = new InstallFolder(join(installRoot(), id));
  const state = await folder.readState();
  const current = versionIn(state, state.current);
  if (!current || !(await isFileWithin(folder.at(current.folder), current.launch.file))) return undefined;
  return toInstalled(id, folder, current, state, packageNode()).command;
}
