import { redactText } from "../../../base/redact.js";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Logger } from "../../../base/logger.js";
import { configFolder } from "../../../base/node/own-program.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { ListFiles } from "../../../context/servers/node/lists-file.js";
import { listsKey } from "../../../context/servers/server-hub.js";
import { toolFilter } from "../../../context/servers/tool-filter.js";
import { variableNames } from "../../../context/servers/variables.js";
import { JsonDocument } from "../../../settings/json-document.js";
import type { ServerOrigin, UserServer } from "../../../settings/user-server.js";
import { readSoundConfig } from "../../read-user-config.js";
import { type KnownServer, knownServers, originText } from "./servers-for-folder.js";
import { userAccess } from "../../../context/servers/node/secrets-and-sign-in.js";
import { say, warn } from "../output.js";
import { subcommand } from "../subcommand.js";
import { missingValues } from "./missing-values.js";

export const list = subcommand({
  name: "mcp list",
  about:
    "List your MCP servers and this project's: whether they can start, their source, and the agents that get them. Starts nothing.",
  options: { json: { about: "print the servers as one line of JSON" } },
  async run({ values }) {
    const known = await knownServers(process.cwd(), await readSoundConfig(), warn);
    const listed = await Promise.all(known.map(listedServer));
    if (values.json === true) return say(JSON.stringify(listed));
    if (listed.length === 0) {
      return say("There are no MCP servers. Add one with `symposium-acp-agent mcp add`, or import existing ones.");
    }
    return say(listed.map(shownServer).join("\n"));
  },
});

interface ListedServer {
  readonly name: string;
  readonly type: UserServer["launch"]["type"];
  /** `not-approved`: the server belongs to the project, and the user hasn't approved its files. */
  readonly state: "on" | "off" | "incomplete" | "not-approved";
  readonly offBy: KnownServer["offBy"];
  /** Values that aren't set, such as `${env:TOKEN}`. */
  readonly missing: readonly string[];
  readonly variables: readonly string[];
  readonly origin: ServerOrigin["kind"];
  readonly file: string | undefined;
  /** Line of the entry in its file, counted from 1. Absent if it can't be found. */
  readonly line: number | undefined;
  /** Ids of the agents that get the server; undefined for all agents. */
  readonly agents: readonly string[] | undefined;
  readonly start: string;
  /** Whether a sign-in is stored, for http servers whose URL has no variables. */
  readonly isSignedIn?: boolean;
  /** Cached tool list; absent if no session has used the server yet. */
  readonly tools?: readonly { readonly name: string; readonly bytes: number; readonly isLeftOut: boolean }[];
}

async function listedServer({ server, needsApproval, offBy }: KnownServer): Promise<ListedServer> {
  const { name, launch, origin, agents } = server;
  const missing = await missingValues(server);
  const state = needsApproval ? "not-approved" : offBy !== undefined ? "off" : missing.length > 0 ? "incomplete" : "on";
  const lists = new ListFiles(join(configFolder(), "mcp-lists"), Logger.silent);
  const kept = await lists.read(listsKey(server));
  const isGiven = toolFilter(server);
  return {
    name,
    type: launch.type,
    state,
    offBy,
    missing,
    variables: variableNames(launch),
    origin: origin.kind,
    file: origin.file,
    line: await lineOf(server),
    agents,
    // Redacts secrets that a user wrote directly in the arguments or URL.
    start: redactText(launch.type === "stdio" ? [launch.command, ...launch.args].join(" ") : launch.url),
    ...(launch.type !== "stdio" &&
      URL.canParse(launch.url) &&
      !launch.url.includes("${") && {
        isSignedIn: await userAccess()
          .store.has(launch.url)
          .catch(() => false),
      }),
    ...(kept && {
      tools: kept.tools.map((tool) => {
        const toolName = String(tool["name"]);
        return { name: toolName, bytes: JSON.stringify(tool).length, isLeftOut: !isGiven(toolName) };
      }),
    }),
  };
}

/** The project's own file may list the server under a different name than the one shown to the user. */
async function lineOf({ name, origin }: UserServer): Promise<number | undefined> {
  if (origin.file === undefined) return undefined;
  const document = JsonDocument.parse(await readFile(origin.file, "utf8").catch(() => ""));
  const names = [name, name.replace(/@project$/, "")];
  const node = names.map((one) => document.nodeAt(["mcpServers", one])).find((one) => one !== undefined);
  return node && document.text.slice(0, node.offset).split("\n").length;
}

const states: Readonly<Record<ListedServer["state"], string>> = {
  on: "on",
  off: "off",
  incomplete: "incomplete",
  "not-approved": "not allowed yet: run `symposium-acp-agent trust` in this folder",
};

function shownServer({ name, state, offBy, missing, start, agents, origin, file }: ListedServer): string {
  const lacks = missing.length === 0 ? "" : `: no value for ${missing.join(", ")}`;
  const by = offBy === "project" ? " (by the project)" : offBy === "exclude" ? " (context.exclude)" : "";
  const from = originText({ kind: origin, ...(file !== undefined && { file }) });
  const details = `agents: ${agents?.join(", ") ?? "all"}; from ${from}`;
  return `${plainText(name)}  ${states[state]}${by}${plainText(lacks)}\n    ${plainText(start)}\n    ${plainText(details)}`;
}
