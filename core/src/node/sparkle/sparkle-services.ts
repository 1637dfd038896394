import { join } from "node:path";
import type { SparkleServices } from "../../proxies/sparkle/services.js";
import { userFolder, workspaceFolder } from "./disk-folder.js";
import { addIgnoreLine, ignoreFilesOf } from "./git-ignore.js";

/** Sparkle on this machine: its files are in `.sparkle` of the user's home folder, and in `.sparkle-space` of workspaces. */
export function sparkleServices(homeFolder: string): SparkleServices {
  return {
    now: () => new Date(),
    home: userFolder(join(homeFolder, ".sparkle")),
    workspace: (cwd) => workspaceFolder(cwd, ".sparkle-space"),
    ignoreFiles: ignoreFilesOf,
    addIgnoreLine,
  };
}
