import type { Peer } from "../../base/rpc/peer.js";
import type { UserServer } from "../../settings/user-server.js";

export interface ServerSession {
  readonly cwd: string;
  /** Absolute paths of the session's folders: `cwd` and the additional folders. */
  readonly roots: readonly string[];
  readonly client: Peer;
  /** Capabilities from the editor's `initialize`, unvalidated. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** The session's id; undefined until the agent has opened the session. */
  readonly sessionId: string | undefined;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
}

/** A server's launch with all variables expanded. May contain secrets, so never log, trace or show it. */
export type ExpandedLaunch = ProgramLaunch | RemoteLaunch;

export interface ProgramLaunch {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Variables added to this process's environment, including those from `envFile`. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface RemoteLaunch {
  readonly type: "http" | "sse";
  /** Absolute http or https URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface MissingValue {
  /** The missing value as written in the entry, for example `${env:TOKEN}`. */
  readonly missing: string;
}

/** Expands a server's variables for one session. Rejects with `forbidden-by-policy` if the organisation doesn't allow the server. */
export type Expand = (server: UserServer, session: ServerSession) => Promise<ExpandedLaunch | MissingValue>;
