import { defaultExtensions } from "../../extensions/extension-names.js";
import { trustOption } from "./options.js";
import type { GroupMember } from "./declaration.js";
import { subcommandGroup } from "./subcommand.js";

const ofServers: Readonly<Record<string, GroupMember>> = {
  list: {
    about: "your MCP servers: whether they can start, where they come from, which agents get them",
    load: async () => (await import("./mcp/list.js")).list,
  },
  import: {
    about: "find the servers that you have set up elsewhere, and take those that you choose",
    load: async () => (await import("./mcp/import.js")).importServers,
  },
  add: {
    about: "add a server: NAME -- COMMAND..., or NAME --url URL",
    load: async () => (await import("./mcp/add.js")).add,
  },
  test: {
    about: "start your servers, and say what each has or why it does not start",
    load: async () => (await import("./mcp/test.js")).test,
  },
  tools: {
    about: "the tools of your servers: their sizes, and what each agent's model sees of them",
    load: async () => (await import("./mcp/tools.js")).tools,
  },
  remove: {
    about: "remove a server from config.jsonc",
    load: async () => (await import("./mcp/remove.js")).remove,
  },
  login: {
    about: "sign in to a server over http in your browser, for all agents",
    load: async () => (await import("./mcp/login.js")).login,
  },
  logout: {
    about: "forget the sign-in to a server",
    load: async () => (await import("./mcp/login.js")).logout,
  },
  secret: {
    about: "keep values for ${secret:NAME} out of your files: set, list, remove",
    load: async () => (await import("./mcp/secret.js")).secret,
  },
};

const asServers = defaultExtensions.map((name): [string, GroupMember] => [
  name,
  {
    about: `serves the tools of ${name} over stdio`,
    load: async () => (await import("./mcp/serve.js")).serveExtension(name),
  },
]);

/** `mcp VERB`: the user's MCP servers, and `mcp NAME`: a built-in extension as one. Verbs are no names of extensions. */
export const mcp = subcommandGroup({
  name: "mcp",
  about: "Your MCP servers, which every agent gets. With the name of a built-in extension: its tools as an MCP server.",
  options: { options: { value: "JSON", about: "options of the extension that is served" }, ...trustOption },
  members: { ...ofServers, ...Object.fromEntries(asServers) },
});
