import { SymposiumError } from "../../base/symposium-error.js";
import { serveWatches } from "../../guard/node/sandbox/watch-process.js";
import { subcommand } from "./subcommand.js";

/** `sandbox-watch`: watches the sandboxes of its parent process. Internal. */
export const sandboxWatch = subcommand({
  name: "sandbox-watch",
  about:
    "Watch files of sandboxes, and end sandboxes in which git would read other configuration. Symposium starts this.",
  async run() {
    if (!process.connected) {
      throw new SymposiumError("invalid-arguments", "sandbox-watch needs the channel of the process that starts it.");
    }
    await serveWatches();
    return 0;
  },
});
