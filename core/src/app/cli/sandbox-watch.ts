import { invalidArguments } from "../../base/symposium-error.js";
import { serveWatches } from "../../guard/node/sandbox/path-watcher-process.js";
import { subcommand } from "./subcommand.js";

/** `sandbox-watch`: watches the sandboxes of its parent process. Internal. */
export const sandboxWatch = subcommand({
  name: "sandbox-watch",
  about:
    "Watch the files of sandboxes, and end a sandbox when git would read a different configuration in it. Started by Symposium.",
  async run() {
    if (!process.connected) {
      throw invalidArguments("sandbox-watch needs an IPC channel to the process that starts it.");
    }
    await serveWatches();
    return 0;
  },
});
