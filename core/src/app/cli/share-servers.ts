import { editUserServers } from "../../context/servers/node/servers-in-config.js";
import type { Config } from "../../settings/config.js";
import { excludedServers } from "../../settings/context-exclusions.js";
import type { Placement } from "../../settings/placement.js";
import { withSetting } from "../../settings/settings-edit.js";
import { answersFor, machineKey, sharedServersKey } from "../../settings/shared-servers.js";
import type { UserServer } from "../../settings/user-server.js";
import { canChoose, confirms } from "./choices.js";
import { safeLine } from "./terminal-chat/safe-text.js";

/** Returns the user's servers that agents on other machines could call. */
export function shareableServers({ servers, settings }: Config): readonly UserServer[] {
  const off = excludedServers(settings.context.exclude);
  return servers.filter(({ name, isEnabled, on }) => isEnabled && on !== "there" && !off.includes(name));
}

/** Returns the names of shareable servers with the user's answers about a machine; undefined if the user wasn't asked. */
export function sharedServers(config: Config, machine: string): ReadonlyMap<string, boolean | undefined> {
  const answers = answersFor(config.settings.sharedServers, machine);
  return new Map(shareableServers(config).map(({ name }) => [name, answers.get(name)]));
}

/** Stores an answer about servers in config.jsonc. Resolves with the file's path. */
export function keepAnswer(machine: string, names: readonly string[], isShared: boolean): Promise<string> {
  return editUserServers((text, file) =>
    names.reduce((edited, name) => withSetting(edited, [sharedServersKey, machine, name], isShared, file), text),
  );
}

/**
 * Asks in a terminal, once for each machine and server, whether agents there may call the user's servers. Resolves with the names of the
 * shared servers.
 */
export async function askToShare(placement: Placement, config: Config | undefined): Promise<readonly string[]> {
  if (!config) return [];
  const machine = machineKey(placement, process.cwd());
  const answers = [...sharedServers(config, machine)];
  const unasked = answers.flatMap(([name, answer]) => (answer === undefined ? [name] : []));
  const shared = answers.flatMap(([name, answer]) => (answer === true ? [name] : []));
  if (unasked.length === 0 || !canChoose()) return shared;
  const question = `Let agents on ${machine} call these MCP servers of this machine: ${unasked.join(", ")}?`;
  const isShared = await confirms(safeLine(question));
  await keepAnswer(machine, unasked, isShared);
  return isShared ? [...shared, ...unasked] : shared;
}
