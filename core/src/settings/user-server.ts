/** MCP server as defined by the user, with unexpanded variables. */
export interface UserServer {
  /** Name as written; agents receive a name that all of them accept. */
  readonly name: string;
  readonly launch: ServerLaunch;
  readonly origin: ServerOrigin;
  readonly isEnabled: boolean;
  /** Names of tools to offer, with `*` for any characters; default: all. */
  readonly tools?: readonly string[];
  /** Names of tools to remove, in the same format. */
  readonly excludeTools?: readonly string[];
  /** Ids of agents that get the server; default: all. */
  readonly agents?: readonly string[];
  readonly startTimeoutMs?: number;
  /** Maximum milliseconds between progress reports of a tool call. */
  readonly callTimeoutMs?: number;
  readonly oauth?: ServerOAuth;
  /** Descriptions for the server's `${input:ID}` variables. */
  readonly inputs?: readonly ServerInput[];
}

/** Value of `${input:ID}`, which the user enters once. */
export interface ServerInput {
  readonly id: string;
  readonly description?: string;
  /** Whether to hide the value during input and store it as a secret. */
  readonly isSecret: boolean;
  readonly default?: string;
  /** Choices; default: any text. */
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
      /** Default: the session's folder. */
      readonly cwd?: string;
      /** File with lines of `NAME=value`; `env` overrides it. */
      readonly envFile?: string;
    }
  | { readonly type: "http" | "sse"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Client registered with the authorization server; without an id, Symposium registers itself. */
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
