import { agentTable, type AgentRow, type EditTools, type ToolsOff } from "./registry/agent-table.js";
import { asObject, type Members } from "../base/rpc/json.js";
import type { Command } from "../base/command.js";
import { JsonDocument } from "../settings/json-document.js";
import type { InitializedAgent } from "../conductor/client/initialized-agent.js";

export type { EditTools };

/** Returns the table row that matches the agent's answer to `initialize`, regardless of the command that started it. */
export function rowOf({ name, result }: Pick<InitializedAgent, "name" | "result">): AgentRow | undefined {
  const meta = result.agentCapabilities?._meta;
  return agentTable.find(({ says }) => {
    if (!says) return false;
    if (says.capability !== undefined && asObject(meta?.[says.capability])) return true;
    return name !== undefined && says.name.test(name);
  });
}

interface AgentQuirks {
  readonly isClaude: boolean;
  /**
   * Whether sessions share one set of MCP servers, identified by name. Two sessions with equally named servers then get each other's calls.
   */
  readonly sharesServers: boolean;
  readonly takesSystemPromptInMeta: boolean;
}

export function quirksOf(agent: Pick<InitializedAgent, "name" | "result">): AgentQuirks {
  const row = rowOf(agent);
  return {
    isClaude: row?.id === "claude-code",
    sharesServers: row?.sharesServers === true,
    takesSystemPromptInMeta: row?.takesSystemPromptInMeta === true,
  };
}

/** Whether the agent can fork a session at a message. Agents that can't do so ignore the message and fork the whole session. */
export function canForkAtMessage(agent: Pick<InitializedAgent, "name" | "result" | "version">): boolean {
  const since = rowOf(agent)?.forksAtMessageSince;
  if (since === undefined || agent.version === undefined) return false;
  return agent.version.localeCompare(since, "en", { numeric: true }) >= 0;
}

export function editToolsOf(name: unknown): EditTools | undefined {
  return agentTable.find(({ editTools }) => typeof name === "string" && editTools?.of.test(name) === true)?.editTools;
}

/** Whether the agent asks the editor to write allowed edits, and also writes to disk without waiting for the editor. */
export function writesBesideEditor(name: unknown): boolean {
  return rowNamed(name)?.writesBesideEditor === true;
}

/** Whether the agent can't create a file if the editor answers that the file doesn't exist. */
export function failsOnMissingFiles(name: unknown): boolean {
  return rowNamed(name)?.failsOnMissingFiles === true;
}

function rowNamed(name: unknown): AgentRow | undefined {
  return typeof name === "string" ? agentTable.find(({ says }) => says?.name.test(name)) : undefined;
}

type Environment = Readonly<Record<string, string>>;

/** Command that starts an agent whose model gets only the tools of one MCP server. */
interface BareStart {
  readonly command: Command;
  readonly agent: ToolsOff["agent"];
  /** File that the start command reads; the caller must write the file before the start. `path` is absolute. */
  readonly file?: { readonly path: string; readonly content: string };
}

interface BareStartOptions {
  readonly inherited: (name: string) => string | undefined;
  /** Absolute path of a folder for a file that the agent may need. */
  readonly folder: string;
  readonly server: string;
}

/**
 * Returns a command that starts the agent without its built-in tools. Undefined if the agent can't start without them, or if the user's
 * configuration in the environment can't be parsed. For Claude, a request at the start of a session disables the tools instead.
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

export function rowOfCommand(command: Command): AgentRow | undefined {
  return agentTable.find(({ program, npmPackage, toolsOff }) =>
    isStartOf(command, program, npmPackage ?? toolsOff?.npmPackage ?? program),
  );
}

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

/** Merges `members` into the JSON object in `value`; `members` win. Returns undefined if `value` isn't a JSON object. */
function joined(
  value: string | undefined,
  { variable, members }: NonNullable<ToolsOff["config"]>,
  server: string,
): Environment | undefined {
  const text = value?.trim() ?? "";
  const own: Members | undefined = text === "" ? {} : asObject(JsonDocument.parse(text).value);
  return own && { [variable]: JSON.stringify({ ...own, ...members(own, server) }) };
}
