import type { McpCallContext, McpOutcome, McpServerDescription } from "../../base/mcp/mcp-server.js";
import type { ExpandedLaunch } from "./expanded-launch.js";

/** One server to connect to. */
export interface ConnectionPlan {
  /** For errors and logs. */
  readonly name: string;
  readonly launch: ExpandedLaunch;
  /** Longest wait for its first answers; default 30 s. */
  readonly startTimeoutMs?: number;
  /** Longest silence of a call, between its reports of progress; default 10 min. */
  readonly callTimeoutMs?: number;
  /** Whether it was of the stateless revision alone last time: then that is tried first. */
  readonly isStateless?: boolean;
  /** The user's next step where it cannot be reached. */
  readonly hint?: string;
}

/** The session behind a connection: what a server may ask of it, and who hears of it. */
export interface ConnectionHost {
  /** The folders of the session, absolute; undefined where nobody has any, and the server is not told that it may ask. */
  readonly roots?: () => readonly string[];
  /** Puts a form or an address before the user: MCP's `elicitation/create`. Absent where the editor shows neither. */
  readonly elicitation?: {
    readonly form: boolean;
    readonly url: boolean;
    ask(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
    /** What the user did at an address has come to its end (`notifications/elicitation/complete`). */
    completed(params: Readonly<Record<string, unknown>>): void;
  };
  /** The server sent a notification that belongs to no call: one of its lists has changed, or it logs. */
  notified(method: string, params: Readonly<Record<string, unknown>> | undefined): void;
  /** The connection is of no more use, and nobody has disposed of it. */
  ended(reason: Error): void;
}

/** A connection that stands. Disposing ends it, with the program behind it gone. */
export interface UserServerConnection extends AsyncDisposable {
  readonly description: McpServerDescription;
  readonly isStateless: boolean;
  /** Resolves with the server's answer, also when that is an error; rejects with {@link CallFailure} where none came. */
  call(method: string, params: Readonly<Record<string, unknown>>, context: McpCallContext): Promise<McpOutcome>;
}

/** Why a call got no answer; `message` is for people. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";

  constructor(
    /** `lost`: the connection has ended. `unseen`: so it has, and the server knows nothing of the call. `silent`: it took too long. */
    readonly kind: "lost" | "unseen" | "silent" | "sign-in",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The server wants its user signed in first. */
export class SignInNeeded extends Error {
  override readonly name = "SignInNeeded";

  constructor(server: string, options?: ErrorOptions) {
    super(`MCP server "${server}" needs a sign-in. ${signInHint(server)}`, options);
  }
}

/** The user's next step then. */
export function signInHint(server: string): string {
  return `Run \`symposium-acp-agent mcp login ${server}\`, then try again.`;
}
