import { subcommandGroup } from "./subcommand.js";

/** `sessions VERB`: the conversations that were kept, of every editor and the terminal. */
export const sessions = subcommandGroup({
  name: "sessions",
  about:
    "Your conversations with agents, from every editor and the terminal. They are kept on this machine, in the folder " +
    "`sessions` beside config.jsonc, unless `conversations` there says otherwise.",
  members: {
    list: {
      about: "the conversations, the latest first",
      load: async () => (await import("./sessions/list.js")).list,
    },
    show: {
      about: "what was said in one",
      load: async () => (await import("./sessions/show.js")).show,
    },
    search: {
      about: "find a text in all of them",
      load: async () => (await import("./sessions/search.js")).search,
    },
    continue: {
      about: "go on with one, with any agent",
      load: async () => (await import("./sessions/continue.js")).continueSession,
    },
    export: {
      about: "one as Markdown, or as JSON Lines with all that was sent",
      load: async () => (await import("./sessions/export.js")).exportSession,
    },
    import: {
      about: "keep one that was exported as JSON Lines",
      load: async () => (await import("./sessions/import.js")).importConversation,
    },
    rename: {
      about: "give one another title",
      load: async () => (await import("./sessions/rename.js")).rename,
    },
    delete: {
      about: "delete some, or all",
      load: async () => (await import("./sessions/delete.js")).deleteSessions,
    },
  },
});
