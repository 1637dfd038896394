import { subcommandGroup } from "./subcommand.js";

export const guard = subcommandGroup({
  name: "guard",
  about:
    "Manage your rules for agents: commands, files, hosts and tools that Symposium denies, asks about or allows in every " +
    "editor, and agents that run in a sandbox. Rules are in guard.jsonc, beside config.jsonc and in a repository's .symposium.",
  members: {
    status: {
      about: "show what agents may do in this folder",
      load: async () => (await import("./guard/status.js")).status,
    },
    level: {
      about: "set an agent's level: rules, sandbox or off",
      load: async () => (await import("./guard/level.js")).level,
    },
    offer: {
      about: "report whether to suggest the sandbox (for editors)",
      load: async () => (await import("./guard/offer.js")).offer,
    },
    hook: {
      about: "check a command against rules (for agents' hooks)",
      load: async () => (await import("./guard/hook.js")).hook,
      isHidden: true,
    },
    add: {
      about: "add a rule",
      load: async () => (await import("./guard/add.js")).add,
    },
    remove: {
      about: "remove a rule",
      load: async () => (await import("./guard/remove.js")).remove,
    },
    rules: {
      about: "list this folder's rules and their errors",
      load: async () => (await import("./guard/rules.js")).rules,
    },
    prove: {
      about: "show what enforces each rule for an agent",
      load: async () => (await import("./guard/prove.js")).prove,
    },
    test: {
      about: "show which rule applies to a command, file or address",
      load: async () => (await import("./guard/test.js")).test,
    },
    selftest: {
      about: "test the sandbox on this machine",
      load: async () => (await import("./guard/selftest.js")).selftest,
    },
    log: {
      about: "list past decisions",
      load: async () => (await import("./guard/log.js")).log,
    },
  },
});
