/** A window that moves its closed tabs and is killed at a step. Arguments: the folder, the step. */
import { TabArchive } from "../../../src/features/history/tab-archive.js";
import { Logger } from "../../../src/features/log/logger.js";
import { commandIn, StoredWindow } from "./stored-window.js";

const [folder = "", step = ""] = process.argv.slice(2);
const run = commandIn(folder);

function at(reached: string): void {
  if (reached === step) process.kill(process.pid, "SIGKILL");
}

class KilledArchive extends TabArchive {
  override forget(tabId: string): Promise<void> {
    at("journal deleted");
    return super.forget(tabId);
  }

  override keptAs(...kept: Parameters<TabArchive["keptAs"]>): Promise<void> {
    at("read back");
    return super.keptAs(...kept);
  }
}

const window = new StoredWindow({
  folder,
  archive: new KilledArchive(`${folder}/window`, new Logger({ write: () => undefined })),
  run: async (words) => {
    if (words[1] === "import") at("exported");
    const output = await run(words);
    at("imported");
    return output;
  },
});
await window.history.settle();
