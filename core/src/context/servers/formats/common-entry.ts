import { asObject } from "../../../base/rpc/json.js";
import type { ServerLaunch, ServerOAuth } from "../../../settings/user-server.js";
import { type Entry, ownMember, textsOf } from "./entry.js";
import { type ServerContent } from "./format.js";

const transports: Readonly<Record<string, ServerLaunch["type"]>> = {
  stdio: "stdio",
  local: "stdio",
  command: "stdio",
  http: "http",
  remote: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  streamable_http: "http",
  streamablehttp: "http",
  sse: "sse",
};

/** Differences between products that write entries as `{ command, args, env }` or `{ url, headers }`. */
export interface CommonEntry {
  /** URL keys with their default transport if the entry has no `type`. `path` means sse if the URL's path ends in `/sse`. */
  readonly urls: Readonly<Record<string, "http" | "sse" | "path">>;
  /** Unit of `timeout`, and the limit that it sets. */
  readonly timeout?: { readonly unitMs: number; readonly limits: "startTimeoutMs" | "callTimeoutMs" };
  readonly tools?: string;
  readonly excludeTools?: string;
  /** Default working directory of programs. If undefined, programs start in the session's folder. */
  readonly cwd?: string;
  /** Keys to ignore without a note, for example approvals, since Symposium asks users for approval anyway. */
  readonly skipped?: readonly string[];
}

export function readCommonEntry(entry: Entry, options: CommonEntry): ServerContent | null {
  const { timeout, cwd, skipped = [] } = options;
  const launch = launchOf(entry, options.urls);
  const limit = timeout && entry.milliseconds("timeout", timeout.unitMs);
  const tools = options.tools === undefined ? undefined : plainTools(entry.names(options.tools));
  const excluded = options.excludeTools === undefined ? undefined : plainTools(entry.names(options.excludeTools));
  const oauth = oauthOf(entry);
  const isEnabled = entry.flag("enabled") !== false && entry.flag("disabled") !== true;
  entry.skip(...skipped);
  if (!launch) return null;
  const isWhereItRuns = launch.type === "stdio" && cwd !== undefined && launch.cwd === undefined;
  return {
    launch: isWhereItRuns ? { ...launch, cwd } : launch,
    isEnabled,
    // In Copilot's entries, `*` means all tools.
    ...(tools && !tools.includes("*") && { tools }),
    ...(excluded && excluded.length > 0 && { excludeTools: excluded }),
    ...(timeout && limit !== undefined && { [timeout.limits]: limit }),
    ...(oauth && { oauth }),
  };
}

/** Reduces `tool(argument)`, which some products allow, to the tool name. */
function plainTools(names: readonly string[] | undefined): readonly string[] | undefined {
  return names?.map((name) => name.replace(/^([^(]*)\(.*\)$/s, "$1"));
}

function launchOf(entry: Entry, urls: CommonEntry["urls"]): ServerLaunch | null {
  const given = entry.raw("type") ?? entry.raw("transport");
  const known = typeof given === "string" && Object.hasOwn(transports, given) ? transports[given] : undefined;
  if (given !== undefined && known === undefined) {
    return entry.fail(`Its transport must be stdio, http or sse, not ${shownType(given)}.`);
  }
  const addresses = Object.entries(urls).flatMap(([key, transport]) => {
    const url = entry.text(key);
    return url === undefined ? [] : [{ url, transport }];
  });
  const [first] = addresses;
  if (known === "stdio" || (known === undefined && !first)) return entry.stdio();
  if (!first) return entry.fail("It has no address.");
  if (entry.raw("command") !== undefined)
    return entry.fail("It has both a command and an address, so it's unclear which to use.");
  return entry.remote(known ?? (first.transport === "path" ? byPath(first.url) : first.transport), first.url);
}

function byPath(url: string): "http" | "sse" {
  return /\/sse\/?(?:[?#]|$)/.test(url) ? "sse" : "http";
}

function shownType(type: unknown): string {
  return typeof type === "string" ? JSON.stringify(type.slice(0, 30)) : "of no text";
}

/** Reads a registered OAuth client, whose key and members differ between products. */
function oauthOf(entry: Entry): ServerOAuth | undefined {
  const given = asObject(entry.raw("oauth")) ?? asObject(entry.raw("auth"));
  if (!given) return undefined;
  const first = (...keys: readonly string[]): string | undefined => {
    const value = keys.map((key) => ownMember(given, key)).find((one) => typeof one === "string" && one !== "");
    return typeof value === "string" ? entry.own(value, `oauth.${keys[0] ?? ""}`) : undefined;
  };
  const clientId = first("clientId", "client_id", "CLIENT_ID");
  const clientSecret = first("clientSecret", "client_secret", "CLIENT_SECRET");
  const scope = ownMember(given, "scopes") ?? ownMember(given, "scope");
  const scopes = typeof scope === "string" ? scope.split(/[\s,]+/).filter((one) => one !== "") : textsOf(scope);
  if (clientId === undefined && clientSecret === undefined && (scopes ?? []).length === 0) return undefined;
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scopes && scopes.length > 0 && { scopes }),
  };
}
