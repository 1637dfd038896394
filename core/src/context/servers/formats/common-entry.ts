import { asObject } from "../../../base/rpc/json.js";
import type { ServerLaunch, ServerOAuth } from "../../../settings/user-server.js";
import { type Entry, ownMember, textsOf } from "./entry.js";
import { type ServerContent } from "./format.js";

/** How transports are written, by product or by habit. */
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

/** What differs between products that write entries as `{ command, args, env }` or `{ url, headers }`. */
export interface CommonEntry {
  /** The keys of addresses, and the transport of each where no `type` says it; `path`: sse for an address that ends so. */
  readonly urls: Readonly<Record<string, "http" | "sse" | "path">>;
  /** In which unit `timeout` is, and what it is a limit of. */
  readonly timeout?: { readonly unitMs: number; readonly limits: "startTimeoutMs" | "callTimeoutMs" };
  readonly tools?: string;
  readonly excludeTools?: string;
  /** Where a program runs that does not say so; the session's folder when absent. */
  readonly cwd?: string;
  /** Keys that change nothing here, such as approvals that are asked for anyway. */
  readonly skipped?: readonly string[];
}

/** Reads an entry of such a product. */
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
    // All of them, as Copilot writes it.
    ...(tools && !tools.includes("*") && { tools }),
    ...(excluded && excluded.length > 0 && { excludeTools: excluded }),
    ...(timeout && limit !== undefined && { [timeout.limits]: limit }),
    ...(oauth && { oauth }),
  };
}

/** Some allow `tool(argument)`, of which there is only the tool here. */
function plainTools(names: readonly string[] | undefined): readonly string[] | undefined {
  return names?.map((name) => name.replace(/^([^(]*)\(.*\)$/s, "$1"));
}

function launchOf(entry: Entry, urls: CommonEntry["urls"]): ServerLaunch | null {
  const given = entry.raw("type") ?? entry.raw("transport");
  const known = typeof given === "string" && Object.hasOwn(transports, given) ? transports[given] : undefined;
  if (given !== undefined && known === undefined) {
    return entry.fail(`Its transport ${shownType(given)} is none of stdio, http and sse.`);
  }
  const addresses = Object.entries(urls).flatMap(([key, transport]) => {
    const url = entry.text(key);
    return url === undefined ? [] : [{ url, transport }];
  });
  const [first] = addresses;
  if (known === "stdio" || (known === undefined && !first)) return entry.stdio();
  if (!first) return entry.fail("It has no address.");
  if (entry.raw("command") !== undefined)
    return entry.fail("It has a command and an address, and says not which counts.");
  return entry.remote(known ?? (first.transport === "path" ? byPath(first.url) : first.transport), first.url);
}

function byPath(url: string): "http" | "sse" {
  return /\/sse\/?(?:[?#]|$)/.test(url) ? "sse" : "http";
}

function shownType(type: unknown): string {
  return typeof type === "string" ? JSON.stringify(type.slice(0, 30)) : "of no text";
}

/** What is registered already, under the spellings of all products. */
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
