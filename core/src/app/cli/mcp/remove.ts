import { invalidArguments } from "../../../base/symposium-error.js";
import { withoutServer } from "../../../settings/server-edit.js";
import { editUserServers } from "../../../context/servers/node/servers-in-config.js";
import { sayResult } from "../output.js";
import { jsonOption } from "../options.js";
import { subcommand } from "../subcommand.js";

export const remove = subcommand({
  name: "mcp remove",
  about: "Remove an MCP server from config.jsonc.",
  arguments: { "<NAME>": "the server" },
  options: jsonOption,
  async run({ values, positionals: [name = ""] }) {
    const file = await editUserServers((text, file) => {
      const changed = withoutServer(text, name, file);
      if (changed !== text) return changed;
      const hint = "Run `symposium-acp-agent mcp list` to list them.";
      throw invalidArguments(`mcp remove: ${file} has no server "${name}".`, hint);
    });
    return sayResult(values, { removed: name, file }, `Removed ${name} from ${file}.`);
  },
});
