import { SymposiumError } from "../../base/symposium-error.js";
import { asObject } from "../../base/rpc/json.js";
import { type AgentServer, agentServerMembers, agentServersKey, commandOfEntry, isOurs } from "./agent-server.js";
import { settingAt, withoutSetting, withSetting } from "../../settings/settings-edit.js";

/**
 * Adds `servers` to the settings `text`. An existing entry gets the new command and keeps the user's members such as `env` or
 * `default_mode`. Throws `invalid-config` if another program uses the name, and the errors of `withSetting`.
 */
export function withAgentServers(text: string, servers: readonly AgentServer[], file: string): string {
  return servers.reduce((settings, server) => withAgentServer(settings, server, file), text);
}

function withAgentServer(text: string, server: AgentServer, file: string): string {
  const { name } = server;
  const old = settingAt(text, [agentServersKey, name], file);
  const members = agentServerMembers(server);
  if (old === undefined) return withSetting(text, [agentServersKey, name], members, file);
  if (!isOurs(name, old)) {
    throw new SymposiumError(
      "invalid-config",
      `${file} already has an agent "${name}" that starts another program.`,
      "Nothing was changed. Rename that entry in agent_servers.",
    );
  }
  const { env, ...others } = members;
  const withOthers = Object.entries(others).reduce(
    (settings, [key, value]) => withSetting(settings, [agentServersKey, name, key], value, file),
    text,
  );
  return Object.entries(asObject(env) ?? {}).reduce(
    (settings, [key, value]) => withSetting(settings, [agentServersKey, name, "env", key], value, file),
    withOthers,
  );
}

/** Removes Symposium's entries from the settings `text`. With `names`, removes only the entries with these names. */
export function withoutAgentServers(text: string, file: string, names?: ReadonlySet<string>): string {
  return installedAgentServers(text, file)
    .filter(({ name }) => names?.has(name) ?? true)
    .reduce((settings, { name }) => withoutSetting(settings, [agentServersKey, name], file), text);
}

export function installedAgentServers(text: string, file: string): readonly AgentServer[] {
  const entries = asObject(settingAt(text, [agentServersKey], file)) ?? {};
  return Object.entries(entries).flatMap(([name, value]) => {
    const command = isOurs(name, value) ? commandOfEntry(value) : undefined;
    return command === undefined ? [] : [{ name, command }];
  });
}
