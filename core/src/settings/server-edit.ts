import { settingAt, withItem, withoutSetting, withSetting } from "./settings-edit.js";
import type { ServerInput, UserServer } from "./user-server.js";

/**
 * Adds or replaces `server` in `mcpServers` of config.jsonc, and adds its missing inputs. Preserves comments, order and layout. Throws
 * `invalid-config` with `file` and line.
 */
export function withServer(text: string, server: UserServer, file: string): string {
  const changed = withSetting(text, ["mcpServers", server.name], serverJson(server), file);
  const inputs = settingAt(changed, ["inputs"], file);
  const known = Array.isArray(inputs) ? inputs.map((input: unknown) => Object(input) as { id?: unknown }) : [];
  const added = (server.inputs ?? []).filter(({ id }) => !known.some((input) => input.id === id));
  return added.reduce((edited, input) => withItem(edited, ["inputs"], inputJson(input), file), changed);
}

/** Removes a server from config.jsonc. Preserves inputs, which others may use. Throws like {@link withServer}. */
export function withoutServer(text: string, name: string, file: string): string {
  return withoutSetting(text, ["mcpServers", name], file);
}

/** Formats a server as in `mcpServers`. */
export function serverJson(server: UserServer): Readonly<Record<string, unknown>> {
  const { launch, isEnabled, tools, excludeTools, agents, on, startTimeoutMs, callTimeoutMs, oauth } = server;
  const how =
    launch.type === "stdio"
      ? {
          command: launch.command,
          ...(launch.args.length > 0 && { args: launch.args }),
          ...(Object.keys(launch.env).length > 0 && { env: launch.env }),
          cwd: launch.cwd,
          envFile: launch.envFile,
        }
      : {
          ...(launch.type === "sse" && { type: "sse" }),
          url: launch.url,
          ...(Object.keys(launch.headers).length > 0 && { headers: launch.headers }),
        };
  const all = { ...how, tools, excludeTools, agents, on, startTimeoutMs, callTimeoutMs, oauth };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(!isEnabled && { enabled: false }) };
}

function inputJson({
  id,
  description,
  isSecret,
  default: proposed,
  options,
}: ServerInput): Readonly<Record<string, unknown>> {
  return {
    id,
    type: options ? "pickString" : "promptString",
    ...(description !== undefined && { description }),
    ...(isSecret && { password: true }),
    ...(proposed !== undefined && { default: proposed }),
    ...(options && { options }),
  };
}
