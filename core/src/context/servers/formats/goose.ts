import { asObject } from "../../../base/rpc/json.js";
import type { ServerLaunch } from "../../../settings/user-server.js";
import { type Entry, secretVariable } from "./entry.js";
import { type Format, groupAt } from "./format.js";

/** Types of extensions that are part of Goose. */
const parts: ReadonlySet<unknown> = new Set(["builtin", "platform", "frontend", "inline_python"]);

/** Format of Goose's `extensions`, with the members `cmd`, `envs` and `uri`. The values of `env_keys` are in Goose's key store. */
export const goose: Format = {
  dialect: "none",
  groups: groupAt("extensions"),
  read(entry) {
    const type = entry.raw("type");
    if (parts.has(type)) return undefined;
    entry.skip("bundled");
    const launch = launchOf(entry, type);
    const tools = entry.names("available_tools");
    const timeout = entry.milliseconds("timeout", 1000);
    if (!launch) return null;
    return {
      launch,
      isEnabled: entry.flag("enabled") !== false,
      // In Goose, an empty list of tools means all tools.
      ...(tools && tools.length > 0 && { tools }),
      ...(timeout !== undefined && { callTimeoutMs: timeout }),
    };
  },
};

function launchOf(entry: Entry, type: unknown): ServerLaunch | null {
  const kept = keptValues(entry);
  if (type === "stdio") {
    const launch = entry.stdio({ command: "cmd", env: "envs" });
    return launch?.type === "stdio" ? { ...launch, env: { ...kept, ...launch.env } } : launch;
  }
  if (type !== "sse" && type !== "streamable_http")
    return entry.fail("Its type must be stdio, sse or streamable_http.");
  entry.skip("envs");
  const uri = entry.text("uri");
  if (uri === undefined) return entry.fail("It has no address.");
  return entry.remote(type === "sse" ? "sse" : "http", uri);
}

/** Maps variables from Goose's key store to secrets, whose values the user must enter once. */
function keptValues(entry: Entry): Readonly<Record<string, string>> {
  const names = entry.names("env_keys") ?? [];
  return Object.fromEntries(
    names.map((name) => {
      const variable = secretVariable(entry.name, name);
      entry.note(`Goose stores the value of ${name} in its key store. Here it is ${variable}, which has no value yet.`);
      return [name, variable];
    }),
  );
}

/** Servers that a JetBrains IDE gives to the agents it starts, according to `~/.jetbrains/acp.json`. */
export interface JetBrainsFlags {
  /** The agent's name in the file; undefined for the defaults of all agents. */
  readonly agent?: string;
  /** Whether the agent gets the servers that the user configured in the IDE. */
  readonly givesOwn: boolean;
  /** Whether the agent gets the IDE's own server. */
  readonly givesIde: boolean;
}

/** Parses `~/.jetbrains/acp.json`. Such an agent gets a server twice if the IDE has it too. */
export function jetBrainsFlags(value: unknown): readonly JetBrainsFlags[] {
  const file = asObject(value) ?? {};
  const defaults = flagsOf(file["default_mcp_settings"], { givesOwn: false, givesIde: false });
  const agents = Object.entries(asObject(file["agent_servers"]) ?? {});
  return [defaults, ...agents.map(([agent, entry]) => ({ agent, ...flagsOf(entry, defaults) }))];
}

function flagsOf(value: unknown, otherwise: JetBrainsFlags): JetBrainsFlags {
  const { use_custom_mcp: own, use_idea_mcp: ide } = asObject(value) ?? {};
  return {
    givesOwn: typeof own === "boolean" ? own : otherwise.givesOwn,
    givesIde: typeof ide === "boolean" ? ide : otherwise.givesIde,
  };
}
