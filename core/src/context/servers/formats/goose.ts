import { asObject } from "../../../base/rpc/json.js";
import type { ServerLaunch } from "../../../settings/user-server.js";
import { type Entry, secretVariable } from "./entry.js";
import { type Format, groupAt } from "./format.js";

/** Parts of the product itself. */
const parts: ReadonlySet<unknown> = new Set(["builtin", "platform", "frontend", "inline_python"]);

/** Goose's `extensions`: `cmd`, `envs`, `uri`; the values of `env_keys` are in its key store. */
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
      // An empty list is none.
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
    return entry.fail("Its type is none of stdio, sse and streamable_http.");
  entry.skip("envs");
  const uri = entry.text("uri");
  if (uri === undefined) return entry.fail("It has no address.");
  return entry.remote(type === "sse" ? "sse" : "http", uri);
}

/** Variables whose values only its key store has: they get a name, and their values are given once. */
function keptValues(entry: Entry): Readonly<Record<string, string>> {
  const names = entry.names("env_keys") ?? [];
  return Object.fromEntries(
    names.map((name) => {
      const variable = secretVariable(entry.name, name);
      entry.note(`The value of ${name} is in Goose's key store: it is ${variable} here, whose value is not known yet.`);
      return [name, variable];
    }),
  );
}

/** Which servers a JetBrains IDE gives to the agents that it starts, by `~/.jetbrains/acp.json`. */
export interface JetBrainsFlags {
  /** The name of an agent there; undefined for what counts where an agent says nothing. */
  readonly agent?: string;
  /** Those that its user has set up in the IDE. */
  readonly givesOwn: boolean;
  /** The one of the IDE itself. */
  readonly givesIde: boolean;
}

/** Reads `~/.jetbrains/acp.json`: under such an agent, a server that the IDE has, too, comes twice. */
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
