import { subcommandGroup } from "./subcommand.js";

/** `guard VERB`: the user's rules for agents. */
export const guard = subcommandGroup({
  name: "guard",
  about:
    "Your rules for agents, in guard.jsonc beside config.jsonc and in a repository's .symposium: commands, files and hosts " +
    "that are denied, asked about or allowed, in every editor.",
  members: {
    rules: {
      about: "the rules that hold in this folder, and what is wrong with them",
      load: async () => (await import("./guard/rules.js")).rules,
    },
    test: {
      about: "what would become of a command, a file or an address, and why",
      load: async () => (await import("./guard/test.js")).test,
    },
    selftest: {
      about: "whether the sandbox holds on this machine",
      load: async () => (await import("./guard/selftest.js")).selftest,
    },
    log: {
      about: "what the rules have decided",
      load: async () => (await import("./guard/log.js")).log,
    },
  },
});
