import { asObject, stringsOf } from "../../base/rpc/json.js";
import type { Command } from "../../base/command.js";

export const agentServersKey = "agent_servers";

export interface AgentServer {
  readonly name: string;
  readonly command: Command;
}

const productName = "Symposium";
/** Matches Symposium's program in a command, regardless of the installation method. */
const ourProgram = /(?:^|[\\/])symposium-acp-agent(?:\.(?:[cm]?js|exe|cmd))?$/i;

export function agentServerName(agentName?: string): string {
  return agentName === undefined ? productName : `${productName}: ${agentName}`;
}

export function agentServerMembers({ command }: AgentServer): Readonly<Record<string, unknown>> {
  return { type: "custom", command: command.command, args: [...command.args], env: { ...command.env } };
}

export function isOurs(name: string, value: unknown): boolean {
  const { command, args } = asObject(value) ?? {};
  const words: unknown[] = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])];
  return name.startsWith(productName) && words.some((word) => typeof word === "string" && ourProgram.test(word));
}

/** Returns the agent of a Symposium entry, in the form that `zed install` takes. Undefined for the configured chain. */
export function agentTextOf({ args }: Command): string | undefined {
  const place = args.indexOf("--agent");
  return place === -1 ? undefined : args[place + 1];
}

/** Expands `~` in the command but not in the arguments, as Zed does. */
export function withHome(command: string, home: string): string {
  return command === "~" || /^~[\\/]/.test(command) ? home + command.slice(1) : command;
}

export function commandOfEntry(value: unknown): Command | undefined {
  const { command, args, env } = asObject(value) ?? {};
  if (typeof command !== "string" || command === "") return undefined;
  const words = stringsOf(args);
  const variables = Object.entries(asObject(env) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return { command, args: words, env: Object.fromEntries(variables) };
}
