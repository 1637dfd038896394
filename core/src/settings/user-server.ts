/** MCP server as defined by the user, with unexpanded variables. */
export interface UserServer {
  /** The server's name as the user wrote it; agents receive a variant that all agents accept. */
  readonly name: string;
  readonly launch: ServerLaunch;
  readonly origin: ServerOrigin;
  readonly isEnabled: boolean;
  /** Names of tools to offer, with `*` for any characters; default: all. */
  readonly tools?: readonly string[];
  /** Names of the tools to remove, in which `*` matches any text. */
  readonly excludeTools?: readonly string[];
  /** Ids of agents that get the server; default: all. */
  readonly agents?: readonly string[];
  /** Set if agents on other machines don't get the server from this machine. */
  readonly on?: "there";
  readonly startTimeoutMs?: number;
  /** Maximum milliseconds between progress reports of a tool call. */
  readonly callTimeoutMs?: number;
  readonly oauth?: ServerOAuth;
  /** Descriptions for the server's `${input:ID}` variables. */
  readonly inputs?: readonly ServerInput[];
}

/** Description of an input, whose value the user enters once and which `${input:ID}` inserts. */
export interface ServerInput {
  readonly id: string;
  readonly description?: string;
  /** Whether to hide the value during input and store it as a secret. */
  readonly isSecret: boolean;
  readonly default?: string;
  /** Values from which the user can choose; if absent, any text is allowed. */
  readonly options?: readonly string[];
}

/**
 * Start command or address of a server. Every text may contain variables such as `${env:NAME}`, `${secret:NAME}` and `${workspaceFolder}`.
 */
export type ServerLaunch =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Working folder; default: the session's folder. */
      readonly cwd?: string;
      /** Path of a file with lines such as `NAME=value`. Variables in `env` override those in the file. */
      readonly envFile?: string;
    }
  | { readonly type: "http" | "sse"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** OAuth client that is registered with the authorization server. Without a client id, Symposium registers a client. */
export interface ServerOAuth {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
  /** Port of 127.0.0.1 registered for the client; default: any free port. */
  readonly callbackPort?: number;
}

/** Origin of a server: the user's or a project's file, the editor's settings, or a component of the chain. */
export interface ServerOrigin {
  readonly kind: "user" | "project" | "local" | "editor" | "component";
  /** Absolute path of the file with the server. */
  readonly file?: string;
}
