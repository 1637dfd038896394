import { asObject, parsedObject, isStrings } from "../../base/rpc/json.js";

/** How an installed version is started. Paths are below its folder, with `/` between the names. */
export type Launch =
  | { readonly runner: "self"; readonly file: string }
  /** `preload` is loaded first. */
  | { readonly runner: "node"; readonly file: string; readonly preload?: string }
  /** `interpreter` is the version's own, such as the one of a virtual environment. */
  | { readonly runner: "own"; readonly interpreter: string; readonly file: string };

/** One version on the disk that has answered once. */
export interface InstalledVersion {
  readonly version: string;
  /** Name of its folder: the version, and a number where that was taken. */
  readonly folder: string;
  /** What it was made of; another source is another installation. */
  readonly source: string;
  /** The range or tag that was asked for; absent where it was this version, or nothing in particular. */
  readonly wanted?: string;
  readonly launch: Launch;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Content of an id's `current.json`. */
export interface InstallState {
  readonly current?: string;
  /** What `rollback` returns to. */
  readonly previous?: string;
  /** The version that updates leave alone. */
  readonly pinned?: string;
  readonly versions: readonly InstalledVersion[];
  /** SHA-256 of each archive when it was first fetched, by version and address. They outlive their versions. */
  readonly digests: Readonly<Record<string, string>>;
}

export const emptyState: InstallState = { versions: [], digests: {} };

export function versionIn(state: InstallState, version: string | undefined): InstalledVersion | undefined {
  return state.versions.find((installed) => installed.version === version);
}

/** With `installed` as the current version; what was current becomes the previous one. */
export function withCurrent(state: InstallState, installed: InstalledVersion): InstallState {
  const others = state.versions.filter(({ version }) => version !== installed.version);
  const versions = [...others, installed];
  if (state.current === installed.version) return { ...state, versions };
  return {
    ...state,
    versions,
    current: installed.version,
    ...(state.current !== undefined && { previous: state.current }),
  };
}

/** With only the versions that somebody may return to: the current, the previous and the pinned one. */
export function pruned(state: InstallState): InstallState {
  const kept = new Set([state.current, state.previous, state.pinned]);
  return { ...state, versions: state.versions.filter(({ version }) => kept.has(version)) };
}

export function withPin(state: InstallState, version: string | undefined): InstallState {
  const { pinned: _, ...rest } = state;
  return version === undefined ? rest : { ...rest, pinned: version };
}

/** The key of an archive's digest. */
export function digestKey(version: string, url: string): string {
  return `${version} ${url}`;
}

export function stateText(state: InstallState): string {
  return `${JSON.stringify(state, undefined, 2)}\n`;
}

/** Reads a state file; undefined when it is not one of ours. */
export function parseState(text: string): InstallState | undefined {
  const object = parsedObject(text);
  const digests = texts(object?.["digests"]);
  const list = object?.["versions"];
  if (!object || !digests || !Array.isArray(list)) return undefined;
  const versions = list.map(parseVersion);
  if (!versions.every((version) => version !== undefined)) return undefined;
  return { versions, digests, ...name(object, "current"), ...name(object, "previous"), ...name(object, "pinned") };
}

function parseVersion(value: unknown): InstalledVersion | undefined {
  const object = asObject(value);
  const launch = parseLaunch(object?.["launch"]);
  const env = texts(object?.["env"]);
  const args = object?.["args"];
  if (!object || !launch || !env || !isStrings(args)) return undefined;
  const { version, folder, source } = object;
  if (typeof version !== "string" || typeof folder !== "string" || typeof source !== "string") return undefined;
  return { version, folder, source, launch, args, env, ...name(object, "wanted") };
}

function parseLaunch(value: unknown): Launch | undefined {
  const object = asObject(value) ?? {};
  const { runner, file, interpreter } = object;
  if (typeof file !== "string") return undefined;
  if (runner === "self") return { runner, file };
  if (runner === "node") return { runner, file, ...name(object, "preload") };
  return runner === "own" && typeof interpreter === "string" ? { runner, interpreter, file } : undefined;
}

function name<K extends string>(object: Readonly<Record<string, unknown>>, key: K): { readonly [P in K]?: string } {
  const value = object[key];
  return typeof value === "string" ? ({ [key]: value } as { readonly [P in K]?: string }) : {};
}

function texts(value: unknown): Readonly<Record<string, string>> | undefined {
  const object = asObject(value);
  if (!object) return undefined;
  const entries = Object.entries(object).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return entries.length === Object.keys(object).length ? Object.fromEntries(entries) : undefined;
}
