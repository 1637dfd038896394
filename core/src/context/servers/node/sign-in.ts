import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import type { UserServer } from "../../../settings/user-server.js";
import type { RemoteLaunch, ServerSession } from "../expanded-launch.js";

/** Sign-in to one server for a transport of the MCP SDK, which uses it as `authProvider` and for `fetch`. */
export interface SignIn extends AuthProvider {
  /** Detects servers that require more than the granted scopes. */
  readonly fetch: FetchLike;
}

/**
 * Returns the sign-in for an http server, once per connection; undefined if the headers already authenticate. While the user hasn't signed
 * in, requests reject with the SDK's `UnauthorizedError` and the server needs a sign-in. `ServerStatuses.retry` connects it again
 * afterwards.
 */
export type FindSignIn = (
  server: UserServer,
  launch: RemoteLaunch,
  session: ServerSession,
) => Promise<SignIn | undefined>;
