import { asObject, parsedObject, isStrings } from "../../base/rpc/json.js";

export type Launch =
  | { readonly runner: "self"; readonly file: string }
  | { readonly runner: "node"; readonly file: string; readonly preload?: string }
  | { readonly runner: "own"; readonly interpreter: string; readonly file: string };

export interface InstalledVersion {
  readonly version: string;
  /** Name of the version's folder: the version, plus a number if the name was taken. */
  readonly folder: string;
  /** Source of the installation; another source requires another installation. */
  readonly source: string;
  /** Requested range or tag. Absent if an exact version or nothing specific was requested. */
  readonly wanted?: string;
  readonly launch: Launch;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface InstallState {
  readonly current?: string;
  readonly previous?: string;
  readonly pinned?: string;
  readonly versions: readonly InstalledVersion[];
  /**
   * SHA-256 of each archive at its first download, keyed by version and URL. Entries outlive their versions, so that a changed archive is
   * detected.
   */
  readonly digests: Readonly<Record<string, string>>;
}

export const emptyState: InstallState = { versions: [], digests: {} };

export function versionIn(state: InstallState, version: string | undefined): InstalledVersion | undefined {
  return state.versions.find((installed) => installed.version === version);
}

/** Makes `installed` the current version; the current version becomes the previous one. */
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

export function pruned(state: InstallState): InstallState {
  const kept = new Set([state.current, state.previous, state.pinned]);
  return { ...state, versions: state.versions.filter(({ version }) => kept.has(version)) };
}

export function withPin(state: InstallState, version: string | undefined): InstallState {
  const { pinned: _, ...rest } = state;
  return version === undefined ? rest : { ...rest, pinned: version };
}

export function digestKey(version: string, url: string): string {
  return `${version} ${url}`;
}

export function stateText(state: InstallState): string {
  return `${JSON.stringify(state, undefined, 2)}\n`;
}

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
