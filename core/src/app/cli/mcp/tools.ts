import { invalidArguments } from "../../../base/symposium-error.js";
import { type ListedTool, toolBytes } from "../../../base/mcp/in-process-client.js";
import { type AgentRow, agentTable } from "../../../agents/registry/agent-table.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { toolFilter } from "../../../context/servers/tool-filter.js";
import { type ToolForm, toolFormOf } from "../../../context/servers/direct-or-searched-tools.js";
import { defaultSettings, type Settings } from "../../../settings/settings-table.js";
import type { UserServer } from "../../../settings/user-server.js";
import { readSoundConfig } from "../../read-user-config.js";
import { knownServers } from "./servers-for-folder.js";
import { openEnvironment } from "../../environment.js";
import { logOption } from "../options.js";
import { say, warn } from "../output.js";
import { subcommand } from "../subcommand.js";
import { untilSignal } from "../until-signal.js";
import { waitingFor } from "../waiting-line.js";
import { serversToTry, tryServer } from "./try-server.js";

/** Approximate size of a token in text models, in bytes. */
const bytesPerToken = 4;

const forms: Readonly<Record<ToolForm, string>> = {
  all: "every tool with each request",
  search: "tool names and a search tool instead of the tools",
  names: "tool names; the agent requests the rest itself",
  index: "an index from Symposium; the agent searches by itself",
};

export const tools = subcommand({
  name: "mcp tools",
  about: "List the tools of your MCP servers, their sizes, and what each agent's model sees. Starts the servers.",
  arguments: { "[NAME]": "a server (default: all that are on)" },
  options: {
    agent: { value: "ID", about: "show what this agent gets, such as claude-code" },
    json: { about: "print the tools as one line of JSON" },
    ...logOption,
  },
  async run({ values, positionals: [name] }) {
    const config = await readSoundConfig();
    const settings = config?.settings ?? defaultSettings;
    const row = values.agent === undefined ? undefined : rowNamed(values.agent);
    const servers = serversToTry(await knownServers(process.cwd(), config, warn), name).filter(
      ({ agents }) => !row || (agents?.includes(row.id) ?? true),
    );
    const listed = await waitingFor("Starting the servers", listAll(servers, values.log, settings));
    const agents = (row ? [row] : agentTable).map((one) => seenBy(one, listed, settings));
    if (values.json === true)
      return say(JSON.stringify({ servers: listed.map(({ given: _, ...server }) => server), agents }));
    if (listed.length === 0) {
      return say("No MCP servers are switched on. Add one with `symposium-acp-agent mcp add`.");
    }
    return say([...listed.flatMap(serverLines), "", ...agents.map(agentLine)].join("\n"));
  },
});

interface ListedServer {
  readonly name: string;
  /** Ids of the agents that get the server; undefined for all agents. */
  readonly agents: readonly string[] | undefined;
  readonly tools: readonly { readonly name: string; readonly bytes: number; readonly isLeftOut: boolean }[];
  readonly given: readonly ListedTool[];
  readonly fault?: string;
}

async function listAll(
  servers: readonly UserServer[],
  log = "off",
  settings: Settings,
): Promise<readonly ListedServer[]> {
  await using environment = await openEnvironment({ values: { log }, settings });
  return await untilSignal(
    environment,
    (signal) =>
      Promise.all(
        servers.map(async (server): Promise<ListedServer> => {
          const tried = await tryServer(server, environment.chain.startProcess, signal);
          const all = tried.state === "ready" ? tried.tools : [];
          const isGiven = toolFilter(server);
          return {
            name: server.name,
            agents: server.agents,
            tools: all.map((tool) => ({ name: tool.name, bytes: toolBytes(tool), isLeftOut: !isGiven(tool.name) })),
            given: all.filter((tool) => isGiven(tool.name)),
            ...(tried.state === "failed" && {
              fault: plainText(`${tried.reason} ${tried.remedy ?? ""}`.trimEnd(), 2_000),
            }),
          };
        }),
      ),
    () => undefined,
  );
}

interface SeenByAgent {
  readonly agent: string;
  readonly tools: number;
  readonly bytes: number;
  readonly form: ToolForm;
}

function seenBy(row: AgentRow, servers: readonly ListedServer[], settings: Settings): SeenByAgent {
  const given = servers.filter(({ agents }) => agents?.includes(row.id) ?? true).flatMap((server) => server.given);
  const form = toolFormOf({ tools: given.map((tool) => ({ tool })) }, row, settings.toolSearch);
  return { agent: row.id, tools: given.length, bytes: given.reduce((sum, tool) => sum + toolBytes(tool), 0), form };
}

function serverLines({ name, tools: all, fault }: ListedServer): readonly string[] {
  if (fault !== undefined) return [`${plainText(name)}: did not start. ${fault}`];
  const bytes = all.reduce((sum, tool) => sum + (tool.isLeftOut ? 0 : tool.bytes), 0);
  const width = Math.max(0, ...all.map((tool) => plainText(tool.name).length));
  return [
    `${plainText(name)}: ${all.length} tool${all.length === 1 ? "" : "s"}, ${size(bytes)}`,
    ...all.map((tool) => `  ${plainText(tool.name).padEnd(width)}  ${tool.isLeftOut ? "left out" : size(tool.bytes)}`),
  ];
}

function agentLine({ agent, tools: count, bytes, form }: SeenByAgent): string {
  return `${agent}: ${count} tool${count === 1 ? "" : "s"}, ${size(bytes)}; its model sees ${count === 0 ? "none" : forms[form]}`;
}

function size(bytes: number): string {
  return `${bytes} bytes, about ${Math.ceil(bytes / bytesPerToken)} tokens`;
}

function rowNamed(id: string): AgentRow {
  const row = agentTable.find((one) => one.id === id || one.aliases?.includes(id) === true);
  if (row) return row;
  throw invalidArguments(`There is no agent "${id}".`, `Known: ${agentTable.map((one) => one.id).join(", ")}.`);
}
