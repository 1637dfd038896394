import { redactText } from "../../base/redact.js";
import { variableNames } from "../../servers/variables.js";
import type { UserServer } from "../../settings/user-server.js";
import { readSoundConfig } from "../../start/configuration.js";
import { plainText } from "../../registry/registry-entry.js";
import { say } from "../registry/output.js";
import { subcommand } from "../subcommand.js";
import { missingValues } from "./missing-values.js";

/** `mcp list`: the servers of config.jsonc, a line each, or with `--json` one line of JSON. Nothing is started. */
export const list = subcommand({
  name: "mcp list",
  about: "Your MCP servers: whether they can start, where they come from, which agents get them. Starts nothing.",
  options: { json: { about: "the servers as one line of JSON" } },
  async run({ values }) {
    const { servers = [] } = (await readSoundConfig()) ?? {};
    const listed = await Promise.all(servers.map(listedServer));
    if (values.json === true) return say(JSON.stringify(listed));
    if (listed.length === 0) {
      return say("There are no MCP servers. Add one with `symposium-acp-agent mcp add`, or import those you have.");
    }
    return say(listed.map(shownServer).join("\n"));
  },
});

interface ListedServer {
  readonly name: string;
  readonly type: UserServer["launch"]["type"];
  readonly state: "on" | "off" | "incomplete";
  /** What has no value yet, such as `${env:TOKEN}`. */
  readonly missing: readonly string[];
  readonly variables: readonly string[];
  readonly file: string | undefined;
  /** Ids; all agents when absent. */
  readonly agents: readonly string[] | undefined;
  readonly start: string;
}

async function listedServer(server: UserServer): Promise<ListedServer> {
  const { name, launch, isEnabled, origin, agents } = server;
  const missing = await missingValues(server);
  return {
    name,
    type: launch.type,
    state: !isEnabled ? "off" : missing.length > 0 ? "incomplete" : "on",
    missing,
    variables: variableNames(launch),
    file: origin.file,
    agents,
    // Whoever wrote a secret there need not have it on the screen.
    start: redactText(launch.type === "stdio" ? [launch.command, ...launch.args].join(" ") : launch.url),
  };
}

function shownServer({ name, state, missing, start, agents, file = "" }: ListedServer): string {
  const lacks = missing.length === 0 ? "" : `: ${missing.join(", ")} has no value`;
  const details = `agents: ${agents?.join(", ") ?? "all"}${file === "" ? "" : `; from ${file}`}`;
  return `${plainText(name)}  ${state}${plainText(lacks)}\n    ${plainText(start)}\n    ${plainText(details)}`;
}
