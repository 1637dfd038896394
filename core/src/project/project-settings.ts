import type { UserServer } from "../settings/user-server.js";

/** What the files of a project say, of which only what may count is here: approved, or in need of no approval. */
export interface ProjectSettings {
  /** The root of the repository, or the folder itself; absolute. */
  readonly folder: string;
  /** Whether code of the folder may run. */
  readonly isTrusted: boolean;
  readonly servers: readonly UserServer[];
  /** The names of the user's servers that the project switches off. */
  readonly disabledServers: readonly string[];
  /** Files with rules for agents that the project names, absolute, inside of it. */
  readonly instructionFiles: readonly string[];
}

/** Reads what counts for a session in `cwd`. Never rejects: what cannot be read is left out, and reported elsewhere. */
export type ReadProject = (cwd: string) => Promise<ProjectSettings>;
