import { defaultExtensions } from "../../extensions/extension-names.js";
import { trustOption } from "./options.js";
import type { GroupMember } from "./declaration.js";
import { subcommandGroup } from "./subcommand.js";

const ofServers: Readonly<Record<string, GroupMember>> = {
  list: {
    about: "list servers, whether they can start, and which agents get them",
    load: async () => (await import("./mcp/list.js")).list,
  },
  import: {
    about: "import servers from other programs",
    load: async () => (await import("./mcp/import.js")).importServers,
  },
  add: {
    about: "add a server: NAME -- COMMAND..., or NAME --url URL",
    load: async () => (await import("./mcp/add.js")).add,
  },
  test: {
    about: "start servers, and show their tools or errors",
    load: async () => (await import("./mcp/test.js")).test,
  },
  tools: {
    about: "list servers' tools, their sizes, and what each agent's model sees",
    load: async () => (await import("./mcp/tools.js")).tools,
  },
  remove: {
    about: "remove a server from config.jsonc",
    load: async () => (await import("./mcp/remove.js")).remove,
  },
  share: {
    about: "list or choose the servers that agents on another machine may call",
    load: async () => (await import("./mcp/share.js")).share,
  },
  login: {
    about: "sign in to an HTTP server in your browser",
    load: async () => (await import("./mcp/login.js")).login,
  },
  logout: {
    about: "sign out of a server",
    load: async () => (await import("./mcp/login.js")).logout,
  },
  secret: {
    about: "store values for ${secret:NAME} outside your files",
    load: async () => (await import("./mcp/secret.js")).secret,
  },
};

const asServers = defaultExtensions.map((name): [string, GroupMember] => [
  name,
  {
    about: `serve the tools of ${name} over stdio`,
    load: async () => (await import("./mcp/serve.js")).serveExtension(name),
  },
]);

export const mcp = subcommandGroup({
  name: "mcp",
  about:
    "Manage the MCP servers that all agents get. With the name of a built-in extension, serve its tools over stdio.",
  options: { options: { value: "JSON", about: "options of the extension" }, ...trustOption },
  members: { ...ofServers, ...Object.fromEntries(asServers) },
});
