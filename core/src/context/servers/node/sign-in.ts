import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import type { UserServer } from "../../../settings/user-server.js";
import type { RemoteLaunch, ServerSession } from "../expanded-launch.js";

/** What a transport of the SDK takes to be signed in at one server: itself as `authProvider`, and its `fetch`. */
export interface SignIn extends AuthProvider {
  /** Hears of servers that want more than was granted. */
  readonly fetch: FetchLike;
}

/**
 * What signs in to a server over http, asked once for each connection; undefined for one whose headers have all it takes.
 * While the user is needed and has not come, its requests reject with the `UnauthorizedError` of the SDK: the server is then
 * shown as one that needs a sign-in, and is tried again by `ServerStatuses.restart` once that is done.
 */
export type FindSignIn = (
  server: UserServer,
  launch: RemoteLaunch,
  session: ServerSession,
) => Promise<SignIn | undefined>;
