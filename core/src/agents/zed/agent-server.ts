import { asObject, stringsOf } from "../../base/rpc/json.js";
import type { Command } from "../../base/command.js";

/** The key of Zed's settings under which agents stand. */
export const agentServersKey = "agent_servers";

/** An entry of `agent_servers` that starts a chain; `name` is its key, and what Zed shows. */
export interface AgentServer {
  readonly name: string;
  readonly command: Command;
}

/** What every name of ours begins with. */
const productName = "Symposium";
/** The program of ours in a command, whichever way it was installed. */
const ourProgram = /(?:^|[\\/])symposium-acp-agent(?:\.(?:[cm]?js|exe|cmd))?$/i;

/** The name of the chain before the agent `agentName`, or of the configured chain. */
export function agentServerName(agentName?: string): string {
  return agentName === undefined ? productName : `${productName}: ${agentName}`;
}

/** The members of an entry, as Zed's settings have them. */
export function agentServerMembers({ command }: AgentServer): Readonly<Record<string, unknown>> {
  return { type: "custom", command: command.command, args: [...command.args], env: { ...command.env } };
}

/** Whether an entry of `agent_servers` starts this product. */
export function isOurs(name: string, value: unknown): boolean {
  const { command, args } = asObject(value) ?? {};
  const words: unknown[] = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])];
  return name.startsWith(productName) && words.some((word) => typeof word === "string" && ourProgram.test(word));
}

/** The agent behind an entry of ours, as it was named to `zed install`; undefined for the configured chain. */
export function agentTextOf({ args }: Command): string | undefined {
  const place = args.indexOf("--agent");
  return place === -1 ? undefined : args[place + 1];
}

/** A command as Zed starts it: `~` is the user's home there, and in no argument. */
export function withHome(command: string, home: string): string {
  return command === "~" || /^~[\\/]/.test(command) ? home + command.slice(1) : command;
}

/** How an entry is started; undefined where it names no command. */
export function commandOfEntry(value: unknown): Command | undefined {
  const { command, args, env } = asObject(value) ?? {};
  if (typeof command !== "string" || command === "") return undefined;
  const words = stringsOf(args);
  const variables = Object.entries(asObject(env) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return { command, args: words, env: Object.fromEntries(variables) };
}
