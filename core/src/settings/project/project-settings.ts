import type { Component } from "../component-spec.js";
import type { ProxyEntry } from "../proxy-entry.js";
import type { UserServer } from "../user-server.js";

/** What the files of a project say, of which only what may count is here: approved, or in need of no approval. */
export interface ProjectSettings {
  /** The root of the repository, or the folder itself; absolute. */
  readonly folder: string;
  /** Whether code of the folder may run. */
  readonly isTrusted: boolean;
  readonly servers: readonly UserServer[];
  /** The names of the user's servers that the project switches off. */
  readonly disabledServers: readonly string[];
  /** Tools that sessions do not get, as `SERVER/TOOL`, with `*` for any characters. */
  readonly disabledTools: readonly string[];
  /** Files with rules for agents that the project names, absolute, inside of it. */
  readonly instructionFiles: readonly string[];
  /** Folders with skills that the project names, absolute. */
  readonly skillFolders: readonly string[];
}

/** Reads what counts for a session in `cwd`. Never rejects: what cannot be read is left out, and reported elsewhere. */
export type ReadProject = (cwd: string) => Promise<ProjectSettings>;

/** What a project says of the chain of `run`. */
export interface ProjectChain {
  /** In place of the user's. */
  readonly agent?: Component;
  /** Variables of that agent. */
  readonly env: Readonly<Record<string, string>>;
  /** After the user's; none has the name of one of theirs. */
  readonly proxies: readonly ProxyEntry[];
  /** Those of the user's that take no part, unless they are required. */
  readonly disabledProxies: readonly string[];
}

/** The user's proxies and the project's: a project may switch one of theirs off that is not required. */
export function mergedProxies(users: readonly ProxyEntry[], project: ProjectChain): readonly ProxyEntry[] {
  const isOff = ({ name, required }: ProxyEntry): boolean =>
    required !== true && project.disabledProxies.includes(name);
  const others = project.proxies.filter(({ name }) => !users.some((one) => one.name === name));
  return [...users.map((one) => (isOff(one) ? { ...one, enabled: false } : one)), ...others];
}
