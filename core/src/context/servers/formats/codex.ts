import { asObject } from "../../../base/rpc/json.js";
import type { ServerLaunch } from "../../../settings/user-server.js";
import { type Entry, envVariable, ownMember } from "./entry.js";
import { type Format, groupAt } from "./format.js";

/** Format of Codex's `config.toml`. Entries refer to environment variables by name and give times in seconds. */
export const codex: Format = {
  dialect: "none",
  groups: groupAt("mcp_servers"),
  read(entry) {
    entry.skip("required", "default_tools_approval_mode", "supports_parallel_tool_calls", "tools", "omit_tools_from");
    if (entry.raw("http_headers_helper") !== undefined) {
      entry.note("\"http_headers_helper\" isn't supported: Symposium doesn't run programs to get headers.");
    }
    const url = entry.text("url");
    // An entry without URL and command only enables or disables a server from another configuration layer.
    if (url === undefined && entry.raw("command") === undefined && entry.raw("enabled") !== undefined) return undefined;
    if (url !== undefined && entry.raw("command") !== undefined) {
      return entry.fail("It has both a command and an address, so it's unclear which to use.");
    }
    const launch = url === undefined ? programOf(entry) : entry.remote("http", url, headersOf(entry));
    const tools = entry.names("enabled_tools");
    const excluded = entry.names("disabled_tools");
    const start = entry.milliseconds("startup_timeout_sec", 1000) ?? entry.milliseconds("startup_timeout_ms", 1);
    const call = entry.milliseconds("tool_timeout_sec", 1000);
    const scopes = entry.names("scopes");
    const clientId = ownMember(asObject(entry.raw("oauth")), "client_id");
    const oauth = {
      ...(typeof clientId === "string" && clientId !== "" && { clientId: entry.own(clientId, "oauth.client_id") }),
      ...(scopes && scopes.length > 0 && { scopes }),
    };
    if (!launch) return null;
    return {
      launch,
      isEnabled: entry.flag("enabled") !== false,
      ...(tools && { tools }),
      ...(excluded && excluded.length > 0 && { excludeTools: excluded }),
      ...(start !== undefined && { startTimeoutMs: start }),
      ...(call !== undefined && { callTimeoutMs: call }),
      ...(Object.keys(oauth).length > 0 && { oauth }),
    };
  },
};

/**
 * Reads the program of an entry. Codex passes few environment variables to programs, plus the ones listed in `env_vars` as names or as `{
 * name, source }`.
 */
function programOf(entry: Entry): ServerLaunch | null {
  const launch = entry.stdio();
  const given = entry.raw("env_vars");
  if (launch?.type !== "stdio" || !Array.isArray(given)) return launch;
  const names = given.map((item: unknown) => (typeof item === "string" ? item : ownMember(asObject(item), "name")));
  const passed = names.flatMap((name): [string, string][] => {
    const variable = typeof name === "string" ? envVariable(name) : undefined;
    return typeof name === "string" && variable !== undefined ? [[name, variable]] : [];
  });
  return { ...launch, env: { ...Object.fromEntries(passed), ...launch.env } };
}

function headersOf(entry: Entry): Readonly<Record<string, string>> {
  const byName = Object.entries(asObject(entry.raw("env_http_headers")) ?? {});
  const fromEnvironment = byName.flatMap(([header, name]): [string, string][] => {
    const variable = typeof name === "string" ? envVariable(name) : undefined;
    if (variable === undefined) entry.note(`"env_http_headers.${header}" must name a variable.`);
    return variable === undefined ? [] : [[header, variable]];
  });
  const token = entry.raw("bearer_token_env_var");
  const variable = typeof token === "string" ? envVariable(token) : undefined;
  // Codex rejects a literal token in `bearer_token`.
  const literal = entry.text("bearer_token");
  const bearer = variable ?? literal;
  return {
    ...entry.values("http_headers"),
    ...Object.fromEntries(fromEnvironment),
    ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
  };
}
