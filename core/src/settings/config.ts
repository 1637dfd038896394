import { asObject } from "../base/rpc/json.js";
import { readComponentObject, readComponentText } from "./component-spec.js";
import type { Component } from "./component-spec.js";
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

/** What config.jsonc says, defaults filled in. Frozen. */
export interface Config {
  /** Absent when the file names none: nobody has chosen yet. */
  readonly agent?: Component;
  /** In the order of the chain, disabled ones included. */
  readonly proxies: readonly ProxyEntry[];
  /** The MCP servers of the user's own, in the order of the file, disabled ones included. */
  readonly servers: readonly UserServer[];
  readonly settings: Settings;
}

interface ParsedConfig {
  readonly config: Config;
  /** In the order of the file. With an error among them the file is broken, and only its usable parts are in `config`. */
  readonly problems: readonly LocatedProblem[];
}

/** The proxies that a file may name besides the built-in ones that take part by default. */
export interface OtherProxies {
  /** Of the product, but taking part only where they are listed. */
  readonly optIn?: readonly string[];
  /** Whether an extension is installed under a name; none is when absent. */
  readonly isInstalled?: (name: string) => boolean;
}

/** The keys of the file, apart from the settings. */
export const configKeys = ["$schema", "agent", "proxies", ...serverKeys] as const;

/**
 * Reads the text of config.jsonc. Never throws. An error is a fault of the syntax or an `agent` that cannot be
 * read; everything else that is wrong is a warning, and the part it is about is left out or has its default.
 * Without `proxies` all of `builtInProxies` take part, in that order; those of `others` only where they are listed.
 * An empty text is like `{}`. `file` is where it stands.
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
