import type { McpCallContext, McpOutcome, McpServerDescription } from "../../base/mcp/mcp-server.js";
import type { ExpandedLaunch } from "./expanded-launch.js";

export interface ConnectionPlan {
  readonly name: string;
  readonly launch: ExpandedLaunch;
  /** Time limit for the server's first responses; default 30 s. */
  readonly startTimeoutMs?: number;
  /** Longest time without progress during a call; default 10 min. */
  readonly callTimeoutMs?: number;
  /** Whether the server supported only the stateless revision last time; that revision is then tried first. */
  readonly isStateless?: boolean;
  /** Next step for the user if the connection fails. */
  readonly hint?: string;
}

/** Session behind a connection: answers the server's requests and gets its notifications. */
export interface ConnectionHost {
  /** Returns the session's folders as absolute paths. If undefined, the server isn't offered the `roots` capability. */
  readonly roots?: () => readonly string[];
  /** Shows a form or URL to the user (MCP `elicitation/create`). Undefined if the editor supports neither. */
  readonly elicitation?: {
    readonly form: boolean;
    readonly url: boolean;
    ask(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
    /** Called when the user finished at a URL (`notifications/elicitation/complete`). */
    completed(params: Readonly<Record<string, unknown>>): void;
  };
  /** Called with notifications that belong to no call, for example changed lists and log messages. */
  notified(method: string, params: Readonly<Record<string, unknown>> | undefined): void;
  /** Called when the connection ends without having been disposed. */
  ended(reason: Error): void;
}

/** An open connection. Disposing closes it and ends the server's process. */
export interface UserServerConnection extends AsyncDisposable {
  readonly description: McpServerDescription;
  readonly isStateless: boolean;
  /** Resolves with the server's response, even an error. Rejects with {@link CallFailure} if there is none. */
  call(method: string, params: Readonly<Record<string, unknown>>, context: McpCallContext): Promise<McpOutcome>;
}

/** The reason why a call got no response. `message` is for users. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";

  constructor(
    /** `lost`: the connection ended. `unseen`: it ended before the server received the call. `silent`: the call timed out. */
    readonly kind: "lost" | "unseen" | "silent" | "sign-in",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Thrown if the user must sign in to the server first. */
export class SignInNeeded extends Error {
  override readonly name = "SignInNeeded";

  constructor(server: string, options?: ErrorOptions) {
    super(`MCP server "${server}" needs a sign-in. ${signInHint(server)}`, options);
  }
}

/** Returns the user's next step after {@link SignInNeeded}. */
export function signInHint(server: string): string {
  return `Run \`symposium-acp-agent mcp login ${server}\`, then try again.`;
}
