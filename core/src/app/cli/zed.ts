import { passedToHost } from "./host-use.js";
import { subcommandGroup } from "./subcommand.js";

/** `zed install | uninstall | doctor`: this product as an agent of the user's Zed. `zed run` is what Zed starts. */
export const zed = subcommandGroup({
  name: "zed",
  about: "This program as an agent of your Zed.",
  members: {
    install: {
      about: "add the configured chain, or another agent's, to Zed's settings",
      load: async () => (await import("./zed/install.js")).install,
    },
    uninstall: {
      about: "take it out again, to the byte where nothing was edited since",
      load: async () => (await import("./zed/install.js")).uninstall,
    },
    doctor: {
      about: "start every entry as Zed would, and say how it goes",
      load: async () => (await import("./zed/doctor.js")).doctor,
    },
    run: {
      about: "what Zed starts: the configured proxies before another agent",
      load: async () => (await import("./zed/run.js")).run,
      // A sign-in after these words is for the terminal.
      elsewhere: async (words) =>
        words.includes("sign-in") || words.includes("setup") ? undefined : passedToHost("zed run", words),
      isHidden: true,
    },
  },
});
