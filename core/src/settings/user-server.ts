/** An MCP server as its user wrote it: nothing is expanded, nothing has run. */
export interface UserServer {
  /** As written; agents get it under a name that all of them take. */
  readonly name: string;
  readonly launch: ServerLaunch;
  readonly origin: ServerOrigin;
  readonly isEnabled: boolean;
  /** The tools that agents get, by name, `*` for any characters; all when absent. */
  readonly tools?: readonly string[];
  /** The tools that they do not get, written in the same way. */
  readonly excludeTools?: readonly string[];
  /** The ids of the agents that get it; all when absent. */
  readonly agents?: readonly string[];
  readonly startTimeoutMs?: number;
  /** The longest silence of a tool call, between its reports of progress. */
  readonly callTimeoutMs?: number;
  readonly oauth?: ServerOAuth;
  /** What its `${input:ID}` stand for, those that are described. */
  readonly inputs?: readonly ServerInput[];
}

/** What the user is asked for, once: the value of `${input:ID}`. */
export interface ServerInput {
  readonly id: string;
  /** What is asked. */
  readonly description?: string;
  /** Its value is hidden while it is typed, and kept as secrets are. */
  readonly isSecret: boolean;
  readonly default?: string;
  /** One of these is chosen; any text when absent. */
  readonly options?: readonly string[];
}

/** How it is reached. Every text may have variables such as `${env:NAME}`, `${secret:NAME}` and `${workspaceFolder}`. */
export type ServerLaunch =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** The session's folder when absent. */
      readonly cwd?: string;
      /** A file with lines of `NAME=value`; what `env` says counts before it. */
      readonly envFile?: string;
    }
  | { readonly type: "http" | "sse"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** What is registered with its authorization server already; without it, the server is asked to register us. */
export interface ServerOAuth {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
  /** The port of 127.0.0.1 that is registered with the client id; any free one when absent. */
  readonly callbackPort?: number;
}

/** Who gave the server to us: the user's or a project's file, the editor's settings, or a component of the chain. */
export interface ServerOrigin {
  readonly kind: "user" | "project" | "local" | "editor" | "component";
  /** The file that names it, absolute. */
  readonly file?: string;
}
