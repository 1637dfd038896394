import type { Component } from "../component-spec.js";
import type { ProxyEntry } from "../proxy-entry.js";
import type { UserServer } from "../user-server.js";

/** Project settings that apply, because the user approved them or they need no approval. */
export interface ProjectSettings {
  /** Absolute path of the repository's root or the folder itself. */
  readonly folder: string;
  /** Whether the user trusts the folder, so that its code may run. */
  readonly isTrusted: boolean;
  readonly servers: readonly UserServer[];
  readonly disabledServers: readonly string[];
  /** Tools to remove from sessions, as `SERVER/TOOL`; `*` matches any characters. */
  readonly disabledTools: readonly string[];
  /** Absolute paths of instruction files that the project names, inside the project. */
  readonly instructionFiles: readonly string[];
  /** Absolute paths of skill folders that the project names. */
  readonly skillFolders: readonly string[];
}

/** Reads the settings that apply to a session in `cwd`. Never rejects: unreadable parts are omitted and reported elsewhere. */
export type ReadProject = (cwd: string) => Promise<ProjectSettings>;

export interface ProjectChain {
  /** Replaces the user's agent. */
  readonly agent?: Component;
  readonly env: Readonly<Record<string, string>>;
  /** The project's proxies, which follow the user's in the chain and have different names. */
  readonly proxies: readonly ProxyEntry[];
  /** Names of the user's proxies that the project disables; required proxies remain enabled. */
  readonly disabledProxies: readonly string[];
}

/** Merges the proxies of the user and of the project. The project may disable proxies of the user that aren't required. */
export function mergedProxies(users: readonly ProxyEntry[], project: ProjectChain): readonly ProxyEntry[] {
  const isOff = ({ name, required }: ProxyEntry): boolean =>
    required !== true && project.disabledProxies.includes(name);
  const others = project.proxies.filter(({ name }) => !users.some((one) => one.name === name));
  return [...users.map((one) => (isOff(one) ? { ...one, enabled: false } : one)), ...others];
}
