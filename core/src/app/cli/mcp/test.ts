import { plainText } from "../../../agents/registry/registry-entry.js";
import { toolFilter } from "../../../context/servers/tool-filter.js";
import type { UserServer } from "../../../settings/user-server.js";
import { readSoundConfig } from "../../read-user-config.js";
import { knownServers } from "./servers-for-folder.js";
import { checkCommand } from "../findings/run-check.js";
import { checked, type Finding } from "../findings/finding.js";
import { logOption } from "../options.js";
import { warn } from "../output.js";
import { subcommand } from "../subcommand.js";
import { serversToTry, type Tried, tryServer } from "./try-server.js";

/**
 * `mcp test [NAME]`: starts and stops each of the user's servers in this folder. Prints one line per server, or one JSON line with
 * `--json`. Exits with 1 if a server fails.
 */
export const test = subcommand({
  name: "mcp test",
  about: "Start your MCP servers as a session in this folder would, and show their tools or errors.",
  arguments: { "[NAME]": "a server (default: all that are on)" },
  options: { json: { about: "print the findings as one line of JSON" }, ...logOption },
  async run({ values, positionals: [name] }) {
    const config = await readSoundConfig();
    const servers = serversToTry(await knownServers(process.cwd(), config, warn), name);
    const options = { log: values.log, isJson: values.json === true, ...(config && { settings: config.settings }) };
    return checkCommand(options, async (environment, signal) => {
      if (servers.length === 0) return [checked("mcp").ok("No MCP servers are switched on.")];
      const { startProcess } = environment.chain;
      return Promise.all(
        servers.map(async (server) => toFinding(server, await tryServer(server, startProcess, signal))),
      );
    });
  },
});

function toFinding(server: UserServer, tried: Tried): Finding {
  const { ok, warn, fail } = checked(plainText(server.name));
  if (tried.state === "failed") return fail(plainText(tried.reason, 2_000), tried.remedy);
  const { tools, ms } = tried;
  const given = tools.filter((tool) => toolFilter(server)(tool.name));
  const count = `${tools.length} tool${tools.length === 1 ? "" : "s"}`;
  const seen = given.length === tools.length ? "" : `, of which agents get ${given.length}`;
  const text = `${count}${seen}, after ${ms} ms`;
  if (given.length > 0 || tools.length === 0) return ok(text);
  return warn(text, '"tools" and "excludeTools" of its entry exclude all of them.');
}
