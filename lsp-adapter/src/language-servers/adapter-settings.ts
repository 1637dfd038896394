import { isAbsolute } from "node:path";
import { FolderTrust, type TrustStore, isStrings } from "@symposium-dev/core";
import { TrustFile } from "@symposium-dev/core/node";
import type { ReadinessSignal } from "../connection/readiness.js";
import { knownServers } from "./known-servers.js";
import { simpleServer } from "./simple-server.js";
import type { Language, ServerDefinition } from "./server-definition.js";

export interface AdapterSettings {
  readonly servers: readonly ServerDefinition[];
  /**
   * Returns whether the user trusts `folder`, so that its build scripts, and programs and settings in it such as in `node_modules`, may be
   * used.
   */
  readonly isTrusted: (folder: string) => Promise<boolean>;
  /** Milliseconds before an unused server is stopped. */
  readonly idleStopMs: number;
  /** Milliseconds without clients after which the adapter exits. */
  readonly lingerMs: number;
  /** Milliseconds that a request waits for a server that is reading the workspace. */
  readonly readyTimeoutMs: number;
  /** Maximum number of milliseconds that a server may take for one answer. */
  readonly requestTimeoutMs: number;
}

interface ParsedAdapterSettings {
  readonly settings: AdapterSettings;
  readonly problems: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

const numbers = {
  idleStopMs: 10 * 60_000,
  lingerMs: 5_000,
  readyTimeoutMs: 10_000,
  requestTimeoutMs: 45_000,
} as const;
const signals: readonly ReadinessSignal[] = ["server-status", "progress", "none"];

/**
 * Parses the adapter's settings. `languageServers` maps names to `false` (disables a known server), `memoryLimitMiB` for a known one, or
 * `command`, `args`, `languages`, `rootMarkers`, `initializationOptions`, `settings` and `readiness` for others. Folders in
 * `trustedFolders` are added to those in `store`; times are in milliseconds. Never throws.
 */
export function parseAdapterSettings(given: unknown, store: TrustStore = new TrustFile()): ParsedAdapterSettings {
  const problems: string[] = [];
  const values = isObject(given) ? given : {};
  if (given !== undefined && given !== null && !isObject(given))
    problems.push(`the settings: expected an object, got ${say(given)}.`);
  const trusted = textsOf(values["trustedFolders"], "trustedFolders", problems).filter((folder) => {
    if (isAbsolute(folder)) return true;
    problems.push(`trustedFolders: expected absolute paths, got ${say(folder)}.`);
    return false;
  });
  const trust = new FolderTrust(store, trusted);
  const times = Object.entries(numbers).map(([name, initial]) => [name, timeOf(values[name], name, initial, problems)]);
  return {
    settings: {
      servers: serversOf(values["languageServers"], problems),
      isTrusted: (folder) => trust.isTrusted(folder),
      ...(Object.fromEntries(times) as Record<keyof typeof numbers, number>),
    },
    problems,
  };
}

function serversOf(given: unknown, problems: string[]): readonly ServerDefinition[] {
  if (given === undefined || given === null) return knownServers;
  if (!isObject(given)) {
    problems.push(`languageServers: expected an object, got ${say(given)}.`);
    return knownServers;
  }
  const servers = new Map(knownServers.map((server) => [server.name, server]));
  for (const [name, value] of Object.entries(given)) {
    const known = servers.get(name);
    if (value === false) servers.delete(name);
    else {
      const server = isObject(value) ? serverOf(name, value, known, problems) : undefined;
      if (server) servers.set(name, server);
      else if (!isObject(value))
        problems.push(`languageServers.${name}: expected an object or false, got ${say(value)}.`);
    }
  }
  // Prefer servers that the user defined to the known servers.
  const isOwn = (server: ServerDefinition): boolean => !knownServers.some(({ find }) => find === server.find);
  return [...servers.values()].sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
}

function serverOf(
  name: string,
  value: Values,
  known: ServerDefinition | undefined,
  problems: string[],
): ServerDefinition | undefined {
  const key = `languageServers.${name}`;
  const { command } = value;
  const limit = value["memoryLimitMiB"];
  const hasLimit = typeof limit === "number" && limit > 0;
  if (limit !== undefined && !hasLimit)
    problems.push(`${key}.memoryLimitMiB: expected a number above 0, got ${say(limit)}.`);
  if (command === undefined && known) return hasLimit ? { ...known, memoryLimitMiB: limit } : known;
  if (typeof command !== "string" || command === "") {
    problems.push(`${key}.command: expected the name or the path of a program, got ${say(command)}.`);
    return undefined;
  }
  const languages = languagesOf(value["languages"], key, problems) ?? known?.languages;
  if (!languages) return undefined;
  const settings = value["settings"];
  const readiness = signals.find((signal) => signal === value["readiness"]) ?? "progress";
  return simpleServer({
    name,
    commands: [[command, ...textsOf(value["args"], `${key}.args`, problems)]],
    languages,
    rootMarkers:
      value["rootMarkers"] === undefined
        ? (known?.rootMarkers ?? [])
        : textsOf(value["rootMarkers"], `${key}.rootMarkers`, problems),
    readiness,
    initializationOptions: value["initializationOptions"],
    ...(hasLimit && { memoryLimitMiB: limit }),
    settings: () => (isObject(settings) ? settings : {}),
    remedy: () => `Check ${key}.command in config.jsonc.`,
  });
}

/** Parses the languages of a server, given as `{"LANGUAGE": [".ending", ...]}`. */
function languagesOf(given: unknown, key: string, problems: string[]): readonly Language[] | undefined {
  if (given === undefined) {
    problems.push(`${key}.languages: expected file extensions by language, such as {"zig": [".zig"]}.`);
    return undefined;
  }
  if (!isObject(given)) {
    problems.push(`${key}.languages: expected file extensions by language, got ${say(given)}.`);
    return undefined;
  }
  return Object.entries(given).map(([id, extensions]) => ({
    id,
    extensions: textsOf(extensions, `${key}.languages.${id}`, problems).map((one) => one.toLowerCase()),
  }));
}

function textsOf(given: unknown, key: string, problems: string[]): readonly string[] {
  if (given === undefined) return [];
  if (isStrings(given)) return given;
  problems.push(`${key}: expected a list of strings, got ${say(given)}.`);
  return [];
}

function timeOf(given: unknown, key: string, initial: number, problems: string[]): number {
  if (given === undefined) return initial;
  if (typeof given === "number" && Number.isFinite(given) && given >= 0 && given < 2 ** 31) return given;
  problems.push(`${key}: expected milliseconds, got ${say(given)}.`);
  return initial;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function say(value: unknown): string {
  return JSON.stringify(value);
}
