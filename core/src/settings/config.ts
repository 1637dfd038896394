import { asObject } from "../base/rpc/json.js";
import { readComponentObject, readComponentText } from "./component-spec.js";
import type { Component } from "./component-spec.js";
import { type Hooks, readHooks } from "./hooks.js";
import { JsonDocument } from "./json-document.js";
import { readMcpServers, serverKeys } from "./mcp-servers.js";
import { Place } from "../base/problem.js";
import type { LocatedProblem, Problem } from "../base/problem.js";
import { readProxyEntries } from "./proxy-entry.js";
import type { ProxyEntry } from "./proxy-entry.js";
import { settingKeys, settingsTable } from "./settings-table.js";
import type { Settings } from "./settings-table.js";
import { describeValue, warnOfUnknown } from "./shape.js";
import type { ServerOrigin, UserServer } from "./user-server.js";

/** Contents of config.jsonc with defaults. Frozen. */
export interface Config {
  /** The agent; absent if the file doesn't set one. */
  readonly agent?: Component;
  /** Proxies in chain order, including disabled ones. */
  readonly proxies: readonly ProxyEntry[];
  /** The user's MCP servers in file order, including disabled ones. */
  readonly servers: readonly UserServer[];
  readonly hooks: Hooks;
  readonly settings: Settings;
}

interface ParsedConfig {
  readonly config: Config;
  /** Problems in file order. If one is an error, `config` contains only the usable parts. */
  readonly problems: readonly LocatedProblem[];
}

/** Proxies that a file may name in addition to the default ones. */
export interface OtherProxies {
  /** Symposium's proxies that are active only if listed. */
  readonly optIn?: readonly string[];
  /** Returns whether an extension with the name is installed; default: false. */
  readonly isInstalled?: (name: string) => boolean;
}

export const configKeys = ["$schema", "agent", "hooks", "proxies", ...serverKeys] as const;

/**
 * Parses config.jsonc; never throws. Syntax errors and an unreadable `agent` are errors; other problems are warnings, and the affected part
 * is omitted or gets its default. Without `proxies`, all of `builtInProxies` are active in that order; those of `others` only if listed.
 * Empty text equals `{}`. `file` is the path for messages.
 */
export function parseConfig(
  text: string,
  builtInProxies: readonly string[],
  others: OtherProxies = {},
  file?: string,
): ParsedConfig {
  const document = JsonDocument.parse(text);
  const found: Problem[] = [];
  const origin: ServerOrigin = { kind: "user", ...(file !== undefined && { file }) };
  const servers = readMcpServers(asObject(document.value) ?? {}, origin, new Place(found));
  const config = { ...read(document, builtInProxies, others, new Place(found)), servers };
  const problems = [...document.problems, ...found.map((problem) => document.locate(problem))];
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return deepFreeze({ config, problems });
}

function read(
  document: JsonDocument,
  builtIn: readonly string[],
  others: OtherProxies,
  place: Place,
): Omit<Config, "servers"> {
  const members = asObject(document.value) ?? {};
  if (document.root && document.root.type !== "object") {
    place.report(
      `The configuration must be an object, got ${describeValue(document.value)}.`,
      'Write { "agent": "..." } instead.',
    );
  }
  warnOfUnknown(members, [...configKeys, ...settingKeys], place);
  const { optIn = [], isInstalled = () => false } = others;
  const { agent: agentGiven, proxies: proxiesGiven } = members;
  const agent = agentGiven === undefined ? null : readAgent(agentGiven, place.child("agent"));
  const names = { builtIn: [...builtIn, ...optIn], isInstalled };
  const proxies = proxiesGiven === undefined ? null : readProxyEntries(proxiesGiven, names, place.child("proxies"));
  return {
    ...(agent ? { agent } : {}),
    proxies: proxies ?? builtIn.map((name) => ({ name, enabled: true })),
    hooks: readHooks(members["hooks"], place.child("hooks")),
    settings: readSettings(members, place.as("warning")),
  };
}

function readAgent(value: unknown, place: Place): Component | null {
  return typeof value === "string" ? readComponentText(value, place) : readComponentObject(value, place);
}

function readSettings(members: Readonly<Record<string, unknown>>, place: Place): Settings {
  const entries = settingKeys.map((key) => {
    const { default: fallback, ...setting } = settingsTable[key];
    return [key, members[key] === undefined ? fallback : (setting.read(members[key], place.child(key)) ?? fallback)];
  });
  return Object.fromEntries(entries) as Settings;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}
