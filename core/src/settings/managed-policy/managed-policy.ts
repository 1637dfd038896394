import { type Fault, fault } from "../../base/problem.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import type { ConversationSettings } from "../conversation-settings.js";
import type { Settings } from "../settings-table.js";
import type { PolicyFile } from "./policy-file.js";

/**
 * Policy of the machine's administrator: policy.jsonc, then its drop-ins by name. All files apply together, so that each can only tighten
 * the others.
 */
export interface ManagedPolicy {
  readonly files: readonly PolicyFile[];
}

/** Names the policy file for users. */
export function byOrganisation(file: string): string {
  return `set by your organisation (${file})`;
}

const strictness: Readonly<Record<ProtectionLevel, number>> = { off: 0, rules: 1, sandbox: 2 };

export function isWeaker(one: ProtectionLevel, other: ProtectionLevel): boolean {
  return strictness[one] < strictness[other];
}

/** Lowest level of every agent, with the file that sets it. */
export interface LowestLevel {
  readonly level: ProtectionLevel;
  readonly file: string;
}

/** Returns the lowest level of every agent; undefined if any level is allowed. Rules and limits need at least the level `rules`. */
export function lowestLevel(policy: ManagedPolicy | undefined): LowestLevel | undefined {
  const found = (policy?.files ?? []).flatMap(
    ({ file, lowestProtection = "off", ...limits }): readonly LowestLevel[] => {
      const isRuled =
        limits.rules !== undefined || limits.allowedHosts !== undefined || limits.bypassPermissions === false;
      const level = isRuled && lowestProtection === "off" ? "rules" : lowestProtection;
      return level === "off" ? [] : [{ level, file }];
    },
  );
  return found.reduce<LowestLevel | undefined>(
    (lowest, one) => (lowest === undefined || isWeaker(lowest.level, one.level) ? one : lowest),
    undefined,
  );
}

/** Returns why an agent can't get a protection level; undefined if it can. */
export function levelFault(policy: ManagedPolicy | undefined, level: ProtectionLevel): Fault | undefined {
  const lowest = lowestLevel(policy);
  if (!lowest || !isWeaker(level, lowest.level)) return undefined;
  return fault(
    `"${level}" is weaker than the lowest protection level, "${lowest.level}", ${byOrganisation(lowest.file)}.`,
    `Use ${lowest.level === "rules" ? '"rules" or "sandbox"' : '"sandbox"'}.`,
  );
}

/** Returns why an agent must not run; undefined if it may. `known` are the names that its program vouches for. */
export function agentFault(
  policy: ManagedPolicy | undefined,
  { name, known }: { readonly name: string; readonly known: readonly string[] },
): Fault | undefined {
  return refusal(policy, "allowedAgents", `The agent ${name}`, known);
}

/** Returns why an extension must not run; undefined if it may. `known` are its built-in name or its program's absolute path. */
export function extensionFault(
  policy: ManagedPolicy | undefined,
  { name, known }: { readonly name: string; readonly known: readonly string[] },
): Fault | undefined {
  return refusal(policy, "allowedExtensions", `The extension ${name}`, known);
}

function refusal(
  policy: ManagedPolicy | undefined,
  key: "allowedAgents" | "allowedExtensions",
  what: string,
  known: readonly string[],
): Fault | undefined {
  const file = policy?.files.find(({ [key]: allowed }) => allowed && !allowed.some((one) => known.includes(one)));
  return file && fault(`${what} isn't allowed: ${byOrganisation(file.file)}.`, allowedText(file[key] ?? []));
}

function allowedText(allowed: readonly string[]): string {
  return allowed.length === 0 ? "It allows none." : `Allowed: ${allowed.join(", ")}.`;
}

/** Returns why a list of agents or extensions must not be used; undefined if it may. */
export function registryFault(policy: ManagedPolicy | undefined, address: string): Fault | undefined {
  const file = policy?.files.find(
    ({ allowedRegistries }) => allowedRegistries && !allowedRegistries.some((one) => matchesAddress(one, address)),
  );
  const what = address === "" ? "An entry without a registry" : `The address ${address}`;
  return (
    file && fault(`${what} isn't allowed: ${byOrganisation(file.file)}.`, allowedText(file.allowedRegistries ?? []))
  );
}

/** Command of a server, as it runs, or its address. */
export type ServerIdentity =
  | { readonly sha256: string; readonly variables: readonly string[] }
  | { readonly url: string };

/** Variables that make a program load other code. */
const injecting =
  /^(?:NODE_OPTIONS|LD_\w+|DYLD_\w+|BASH_ENV|ENV|PATH|PERL5?(?:LIB|OPT)|PYTHON\w+|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS)$/i;

/** Returns why an MCP server must not be used; undefined if it may. */
export function serverFault(
  policy: ManagedPolicy | undefined,
  name: string,
  server: ServerIdentity,
): Fault | undefined {
  const file = policy?.files.find(
    ({ allowedMcpServers }) =>
      allowedMcpServers &&
      !allowedMcpServers.some((one) =>
        "url" in server
          ? "url" in one && matchesAddress(one.url, server.url)
          : "sha256" in one && one.sha256 === server.sha256,
      ),
  );
  const identity = "url" in server ? "Its address isn't in the list." : `Its digest is ${server.sha256}.`;
  if (file) return fault(`The MCP server ${name} isn't allowed: ${byOrganisation(file.file)}.`, identity);
  const limited = policy?.files.find(({ allowedMcpServers }) => allowedMcpServers);
  const variable = "url" in server ? undefined : server.variables.find((one) => injecting.test(one));
  if (!limited || variable === undefined) return undefined;
  return fault(
    `The MCP server ${name} isn't allowed with the variable ${variable}: ${byOrganisation(limited.file)}.`,
    "Remove the variable.",
  );
}

/** Returns the file that limits MCP servers; undefined if none does. */
export function serversLimitedBy(policy: ManagedPolicy | undefined): string | undefined {
  return policy?.files.find(({ allowedMcpServers }) => allowedMcpServers)?.file;
}

/** Returns the file that forbids to bypass permissions; undefined if none does. */
export function bypassForbiddenBy(policy: ManagedPolicy | undefined): string | undefined {
  return policy?.files.find(({ bypassPermissions }) => bypassPermissions === false)?.file;
}

/** Words for modes and options in which agents don't ask. */
const bypass = /bypass-?permissions|yolo|full-?access|allow-?all|autopilot|dangerously|skip-?permissions/i;

/** Whether a mode's id or an option of an agent means that the agent doesn't ask. */
export function isBypass(word: string): boolean {
  return bypass.test(word);
}

/** Returns why an agent must not start with this command; undefined if it may. */
export function commandFault(
  policy: ManagedPolicy | undefined,
  {
    name,
    args,
    env,
  }: { readonly name: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> },
): Fault | undefined {
  const file = bypassForbiddenBy(policy);
  if (file === undefined) return undefined;
  const isOff = ([variable, value]: readonly [string, string]): boolean =>
    (isBypass(variable.replaceAll("_", "-")) && !/^(?:|0|false)$/i.test(value)) ||
    (/_CONFIG(?:_CONTENT)?$/.test(variable) &&
      (isBypass(value) || /"(?:approval_policy|permission)"\s*:\s*"(?:never|allow)"/.test(value)));
  const found = args.find(isBypass) ?? Object.entries(env).find(isOff)?.[0];
  if (found === undefined) return undefined;
  return fault(
    `${name} must not start with ${found.slice(0, 60)}, because agents must ask for permission: ${byOrganisation(file)}.`,
    "Remove it from the agent's command.",
  );
}

/** Returns the settings with the policy's limits: other registries are turned off, and conversations are kept at most as long as allowed. */
export function tightened(policy: ManagedPolicy | undefined, settings: Settings): Settings {
  if (!policy) return settings;
  const allowed = (address: string): string =>
    address !== "" && registryFault(policy, address) !== undefined ? "" : address;
  const [registryUrl, fallback] = [allowed(settings.registryUrl), allowed(settings.registryFallbackUrl)];
  const { level } = lowestLevel(policy) ?? { level: "off" as const };
  return {
    ...settings,
    // An empty first address disables the list.
    registryUrl: registryUrl === "" ? fallback : registryUrl,
    registryFallbackUrl: fallback,
    extensionRegistryUrl: allowed(settings.extensionRegistryUrl),
    recommendationsUrl: allowed(settings.recommendationsUrl),
    guard: isWeaker(settings.guard, level) ? level : settings.guard,
    conversations: tightenedConversations(policy, settings.conversations),
  };
}

export function tightenedConversations(
  policy: ManagedPolicy | undefined,
  settings: ConversationSettings,
): ConversationSettings {
  return (policy?.files ?? []).reduce<ConversationSettings>((kept, { conversations: { keep, days } = {} }) => {
    return { ...kept, keep: kept.keep && keep !== false, days: Math.min(kept.days, days ?? kept.days) };
  }, settings);
}

/** Returns the limits for telemetry. `endpoint` is the first file's; absent members set no limit. */
export function telemetryLimits(policy: ManagedPolicy | undefined): {
  readonly endpoint?: string;
  readonly allowed?: false;
} {
  const all = (policy?.files ?? []).flatMap(({ telemetry }) => telemetry ?? []);
  const endpoint = all.find((one) => one.endpoint !== undefined)?.endpoint;
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(all.some(({ allowed }) => allowed === false) && { allowed: false }),
  };
}

/** Lists what the policy limits, one phrase for each limit, with its file. */
export function describePolicy({
  files,
}: ManagedPolicy): readonly { readonly file: string; readonly limits: readonly string[] }[] {
  return files.map(({ file, ...one }) => ({
    file,
    limits: [
      ...listed("agents", one.allowedAgents),
      ...listed("registries", one.allowedRegistries),
      ...(one.allowedMcpServers ? [`${one.allowedMcpServers.length} MCP servers`] : []),
      ...listed("extensions", one.allowedExtensions),
      ...listed("hosts", one.allowedHosts),
      ...(one.lowestProtection ? [`protection at least ${one.lowestProtection}`] : []),
      ...(one.rules ? [`${one.rules.length} rules`] : []),
      ...(one.bypassPermissions === false ? ["agents always ask"] : []),
      ...(one.conversations?.keep === false ? ["no stored conversations"] : []),
      ...(one.conversations?.days === undefined ? [] : [`conversations kept ${one.conversations.days} days`]),
      ...(one.telemetry ? ["telemetry"] : []),
    ],
  }));
}

function listed(what: string, names: readonly string[] | undefined): readonly string[] {
  return names ? [`${what}: ${names.length === 0 ? "none" : names.join(", ")}`] : [];
}

/** Compares as text, and rejects credentials, `..` and spellings about which parsers disagree. */
function matchesAddress(pattern: string, address: string): boolean {
  const [, scheme = "", star = "", host = "", path = ""] = /^(https?):\/\/(\*\.)?([^/]+)(\/.*)$/is.exec(pattern) ?? [];
  const [, givenScheme = "", givenHost = "", givenPath = "/"] =
    /^(https?):\/\/((?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?)([/?][^\s\\]*)?$/i.exec(address) ?? [];
  const [wanted, given] = [host.toLowerCase(), givenHost.toLowerCase()];
  const isHost = star === "" ? given === wanted : given.endsWith(`.${wanted}`);
  if (!isHost || givenScheme.toLowerCase() !== scheme.toLowerCase() || /\.\.|%2e|%2f|%5c/i.test(givenPath))
    return false;
  const words = path.split("*").map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`^${words.join(".*")}$`, "s").test(givenPath);
}
