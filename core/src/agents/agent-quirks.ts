import { agentTable, type AgentRow, type EditTools, type ToolsOff } from "./registry/agent-table.js";
import { asObject, type Members } from "../base/rpc/json.js";
import type { Command } from "../base/command.js";
import { JsonDocument } from "../settings/json-document.js";
import type { InitializedAgent } from "../conductor/client/initialized-agent.js";

export type { EditTools };

/** The row of the agent that says this of itself, behind whatever command it is. */
export function rowOf({ name, result }: Pick<InitializedAgent, "name" | "result">): AgentRow | undefined {
  const meta = result.agentCapabilities?._meta;
  return agentTable.find(({ says }) => {
    if (!says) return false;
    if (says.capability !== undefined && asObject(meta?.[says.capability])) return true;
    return name !== undefined && says.name.test(name);
  });
}

/** What is peculiar to an agent, and matters to those who open sessions with it. */
interface AgentQuirks {
  readonly isClaude: boolean;
  /** Whether its sessions have one set of MCP servers, by their names: then two sessions get each other's calls. */
  readonly sharesServers: boolean;
  /** Whether a new session takes a `systemPrompt` in `_meta`. */
  readonly takesSystemPromptInMeta: boolean;
}

/** The quirks of an agent that says this of itself. */
export function quirksOf(agent: Pick<InitializedAgent, "name" | "result">): AgentQuirks {
  const row = rowOf(agent);
  return {
    isClaude: row?.id === "claude-code",
    sharesServers: row?.sharesServers === true,
    takesSystemPromptInMeta: row?.takesSystemPromptInMeta === true,
  };
}

/** Whether a session of it can be forked at one of its messages; others fork all of it, whatever they are asked. */
export function canForkAtMessage(agent: Pick<InitializedAgent, "name" | "result" | "version">): boolean {
  const since = rowOf(agent)?.forksAtMessageSince;
  if (since === undefined || agent.version === undefined) return false;
  return agent.version.localeCompare(since, "en", { numeric: true }) >= 0;
}

/** The tools of its own that change files, of the agent that gives itself this name, where sessions can do without them. */
export function editToolsOf(name: unknown): EditTools | undefined {
  return agentTable.find(({ editTools }) => typeof name === "string" && editTools?.of.test(name) === true)?.editTools;
}

/** Whether the agent of this name has the editor write what the user allowed, and writes the disk without waiting for that. */
export function writesBesideEditor(name: unknown): boolean {
  return agentTable.some((row) => row.writesBesideEditor && typeof name === "string" && row.says?.name.test(name));
}

type Environment = Readonly<Record<string, string>>;

/** How an agent is started so that its model gets the tools of one MCP server, and none of the agent's own. */
interface BareStart {
  readonly command: Command;
  readonly agent: ToolsOff["agent"];
  /** What the command reads, by an absolute path; to be written first. */
  readonly file?: { readonly path: string; readonly content: string };
}

interface BareStartOptions {
  /** A variable as the agent would get it without us. */
  readonly inherited: (name: string) => string | undefined;
  /** The absolute path of a folder for a file that the agent may need. */
  readonly folder: string;
  /** The MCP server whose tools the agent keeps. */
  readonly server: string;
}

/**
 * The start of an agent without its own tools, where it is one that can be; undefined for all others, and where the user's
 * own configuration in the environment cannot be read. Claude is asked when a session begins, and not here.
 */
export function bareStart(command: Command, { inherited, folder, server }: BareStartOptions): BareStart | undefined {
  for (const { program, toolsOff } of agentTable) {
    if (!toolsOff || !isStartOf(command, program, toolsOff.npmPackage)) continue;
    const { config, env = {}, args, agent, file } = toolsOff;
    const given = (name: string): string | undefined => command.env[name] ?? inherited(name);
    const configured = config ? joined(given(config.variable), config, server) : {};
    if (!configured) return undefined;
    const path = `${folder}/${program}-policy.toml`;
    return {
      command: {
        ...command,
        args: [...command.args, ...(args?.({ file: path, server }) ?? [])],
        env: { ...command.env, ...configured, ...env },
      },
      agent,
      ...(file !== undefined && { file: { path, content: file } }),
    };
  }
  return undefined;
}

/** The row of the agent that a command starts. */
export function rowOfCommand(command: Command): AgentRow | undefined {
  return agentTable.find(({ program, npmPackage, toolsOff }) =>
    isStartOf(command, program, npmPackage ?? toolsOff?.npmPackage ?? program),
  );
}

/** Whether a command runs the program, or has npm's package run: by its name, or from where it is installed. */
function isStartOf({ command, args }: Command, program: string, npmPackage: string): boolean {
  const [name = ""] = slashed(command).split("/").slice(-1);
  if (name.replace(/\.(?:exe|cmd|bat)$/i, "") === program) return true;
  return [command, ...args]
    .map(slashed)
    .some(
      (word) =>
        word === npmPackage || word.startsWith(`${npmPackage}@`) || word.includes(`/node_modules/${npmPackage}/`),
    );
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** A variable that holds a JSON object, with these members in place of the user's. */
function joined(
  value: string | undefined,
  { variable, members }: NonNullable<ToolsOff["config"]>,
  server: string,
): Environment | undefined {
  const text = value?.trim() ?? "";
  const own: Members | undefined = text === "" ? {} : asObject(JsonDocument.parse(text).value);
  return own && { [variable]: JSON.stringify({ ...own, ...members(own, server) }) };
}
