import { subcommandGroup } from "./subcommand.js";

export const hooks = subcommandGroup({
  name: "hooks",
  about: "Manage the hooks in config.jsonc, which run your commands at events of every agent's sessions.",
  options: {},
  members: {
    import: {
      about: "import hooks from Claude Code's settings",
      load: async () => (await import("./hooks/import.js")).importHooks,
    },
  },
});
