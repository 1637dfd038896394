import { passedToHost } from "./host-use.js";
import { subcommandGroup } from "./subcommand.js";

export const zed = subcommandGroup({
  name: "zed",
  about: "Add Symposium to Zed as an agent.",
  members: {
    install: {
      about: "add an agent to Zed's settings",
      load: async () => (await import("./zed/install.js")).install,
    },
    uninstall: {
      about: "remove Symposium's entries from Zed's settings",
      load: async () => (await import("./zed/install.js")).uninstall,
    },
    doctor: {
      about: "start each entry as Zed would, and report problems",
      load: async () => (await import("./zed/doctor.js")).doctor,
    },
    run: {
      about: "start the configured proxies and an agent (started by Zed)",
      load: async () => (await import("./zed/run.js")).run,
      // A terminal sign-in can't run in the host.
      elsewhere: async (words) =>
        words.includes("sign-in") || words.includes("setup") ? undefined : passedToHost("zed run", words),
      isHidden: true,
    },
  },
});
