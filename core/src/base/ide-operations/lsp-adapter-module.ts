import type { Logger } from "../logger.js";
import type { IdeOperations } from "./ide-operations.js";

/**
 * Exports of the language-server adapter package. The command loads this package if an editor lacks IDE operations; no other code depends
 * on it.
 */
export interface LspAdapterModule {
  /**
   * Opens the workspace's adapter process, which all of this user's sessions share. Connects, and starts the process if needed, at the
   * first operation; disposing disconnects.
   */
  readonly openIdeOperations: (options: LspAdapterOptions) => LanguageServers;
  /** `lsp`: runs the adapter with the words after the subcommand. Resolves with the exit code. */
  readonly runLspAdapter: (words: readonly string[]) => Promise<number>;
  /** `lsp --stdio`: runs a language server for one editor over stdin and stdout. Resolves with the exit code. */
  readonly runLspServer: (options: LspServerOptions) => Promise<number>;
  /** Reports the available language server for each language. Leaves no process running. */
  readonly checkLanguageServers: (options: LspCheckOptions) => Promise<readonly LanguageServerCheck[]>;
}

/** IDE operations on this machine's language servers, for one folder. */
export interface LanguageServers extends IdeOperations, AsyncDisposable {
  /** Looks up the language server for a document. May ask programs for their version, but leaves no process running. Never rejects. */
  findServer(uri: string): Promise<ServerFinding>;
}

export type ServerFinding =
  | { readonly kind: "found"; readonly name: string }
  /** `reason` names the missing program and explains how to install it. */
  | { readonly kind: "missing"; readonly reason: string }
  | { readonly kind: "unknown" };

export interface LspAdapterOptions {
  readonly folder: string;
  /** Command of the current process; the words of `lsp` are appended to its arguments. */
  readonly self: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** `languageServers` and other adapter settings from config.jsonc, unvalidated. */
  readonly settings: unknown;
  readonly logger: Logger;
  /** Sandbox for the adapter and its child processes; absent if not sandboxed. */
  readonly sandbox?: LspSandbox;
}

/** Sandbox of a folder's adapter. The adapter's private folder must be shared with its clients. */
export interface LspSandbox {
  /** Starts the adapter, which ends with this process. Resolves with `ready`, or with the adapter's error output; never rejects. */
  readonly start: (words: readonly string[], input: string) => Promise<string>;
  readonly ask: (
    words: readonly string[],
    options: {
      readonly cwd: string;
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly signal: AbortSignal;
    },
  ) => Promise<{ readonly code?: number; readonly stdout: string; readonly stderr: string; readonly fault?: string }>;
}

export interface LspServerOptions {
  /** Folder to serve if the editor names none. */
  readonly folder: string | undefined;
  /** Opens the language servers that sessions share in a folder. `given` is the editor's `initializationOptions`. */
  readonly open: (folder: string, given: unknown) => Promise<LanguageServers>;
  /** Whether the server answers the standard's requests, in addition to IDE operations. */
  readonly hasFeatures: boolean;
}

export interface LspCheckOptions {
  readonly folder: string;
  readonly settings: unknown;
  readonly signal: AbortSignal;
}

export interface LanguageServerCheck {
  readonly name: string;
  /** `absent` if the workspace doesn't need the server. */
  readonly status: "ok" | "missing" | "absent";
  readonly detail: string;
  readonly remedy?: string;
}
