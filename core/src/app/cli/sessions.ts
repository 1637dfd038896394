import { subcommandGroup } from "./subcommand.js";

export const sessions = subcommandGroup({
  name: "sessions",
  about:
    "Manage conversations with agents, from every editor and the terminal. They are saved only on this machine, in the " +
    "folder `sessions` beside config.jsonc. Set `conversations` in config.jsonc to change that.",
  members: {
    list: {
      about: "list conversations, newest first",
      load: async () => (await import("./sessions/list.js")).list,
    },
    board: {
      about: "show conversations by folder and state, and open, stop, archive or delete them",
      load: async () => (await import("./sessions/board.js")).board,
    },
    show: {
      about: "show a conversation",
      load: async () => (await import("./sessions/show.js")).show,
    },
    search: {
      about: "search all conversations",
      load: async () => (await import("./sessions/search.js")).search,
    },
    continue: {
      about: "continue a conversation, with any agent",
      load: async () => (await import("./sessions/continue.js")).continueSession,
    },
    export: {
      about: "export a conversation as Markdown or JSON Lines",
      load: async () => (await import("./sessions/export.js")).exportSession,
    },
    import: {
      about: "import a conversation from JSON Lines",
      load: async () => (await import("./sessions/import.js")).importConversation,
    },
    rename: {
      about: "rename a conversation",
      load: async () => (await import("./sessions/rename.js")).rename,
    },
    archive: {
      about: "archive conversations, so that the board leaves them out",
      load: async () => (await import("./sessions/archive.js")).archive,
    },
    unarchive: {
      about: "move conversations out of the archive",
      load: async () => (await import("./sessions/archive.js")).unarchive,
    },
    delete: {
      about: "delete conversations",
      load: async () => (await import("./sessions/delete.js")).deleteSessions,
    },
  },
});
