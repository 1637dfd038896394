import { subcommandGroup } from "./subcommand.js";

/** `guard VERB`: the user's rules for agents. */
export const guard = subcommandGroup({
  name: "guard",
  about:
    "Your rules for agents, in guard.jsonc beside config.jsonc and in a repository's .symposium: commands, files and hosts " +
    "that are denied, asked about or allowed, in every editor; and whether agents run in a sandbox.",
  members: {
    status: {
      about: "what agents may do in this folder, in plain words",
      load: async () => (await import("./guard/status.js")).status,
    },
    level: {
      about: "hold an agent to your rules, or run it in a sandbox",
      load: async () => (await import("./guard/level.js")).level,
    },
    offer: {
      about: "for editors: whether to tell the user of the sandbox, once",
      load: async () => (await import("./guard/offer.js")).offer,
    },
    hook: {
      about: "for agents that ask before each command: whether a rule denies it",
      load: async () => (await import("./guard/hook.js")).hook,
      isHidden: true,
    },
    add: {
      about: "add a rule",
      load: async () => (await import("./guard/add.js")).add,
    },
    remove: {
      about: "take a rule back",
      load: async () => (await import("./guard/remove.js")).remove,
    },
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
