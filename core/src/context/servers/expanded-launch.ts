import type { Peer } from "../../base/rpc/peer.js";
import type { UserServer } from "../../settings/user-server.js";

/** A session that servers are opened for. */
export interface ServerSession {
  /** Absolute. */
  readonly cwd: string;
  /** `cwd` and the additional folders; absolute. */
  readonly roots: readonly string[];
  /** Toward the editor. */
  readonly client: Peer;
  /** What the editor has announced in its `initialize`, as it came. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** Undefined until the agent has opened the session. */
  readonly sessionId: string | undefined;
  /** Aborted when the session has ended. */
  readonly signal: AbortSignal;
}

/** How a server is reached, with every variable in its place: it may hold secrets, so it is never logged, traced or shown. */
export type ExpandedLaunch = ProgramLaunch | RemoteLaunch;

export interface ProgramLaunch {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** What the program gets beside the environment of this process, the lines of the `envFile` included. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

export interface RemoteLaunch {
  readonly type: "http" | "sse";
  /** Absolute, http or https. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Why a server cannot be reached yet. */
export interface MissingValue {
  /** What it needs and nobody has given, as its entry names it, such as `${env:TOKEN}`. */
  readonly missing: string;
}

/** Puts values in the place of a server's variables, for one session. Rejects only for defects. */
export type Expand = (server: UserServer, session: ServerSession) => Promise<ExpandedLaunch | MissingValue>;
