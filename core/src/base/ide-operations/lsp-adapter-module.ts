import type { Logger } from "../logger.js";
import type { IdeOperations } from "./ide-operations.js";

/**
 * What the package of the language-server adapter exports to the command, which loads it when an editor lacks IDE
 * operations: nothing else of the product knows that package.
 */
export interface LspAdapterModule {
  /**
   * Connects to the adapter process of a workspace, which every session of this user shares, and starts it where it
   * does not run. Connects at the first operation; disposing disconnects.
   */
  readonly openIdeOperations: (options: LspAdapterOptions) => LanguageServers;
  /** `lsp`: runs the adapter itself with the words after the subcommand; resolves to the exit code. */
  readonly runLspAdapter: (words: readonly string[]) => Promise<number>;
  /** `lsp --stdio`: a language server for one editor over stdin and stdout; resolves to the exit code. */
  readonly runLspServer: (options: LspServerOptions) => Promise<number>;
  /** What stands ready on this machine for each language; starts nothing that stays. */
  readonly checkLanguageServers: (options: LspCheckOptions) => Promise<readonly LanguageServerCheck[]>;
}

/** The operations over the language servers of this machine, for one folder. */
export interface LanguageServers extends IdeOperations, AsyncDisposable {
  /** What there is for a document. Programs may be asked for their version; nothing is started that stays. Never rejects. */
  findServer(uri: string): Promise<ServerFinding>;
}

export type ServerFinding =
  | { readonly kind: "found"; readonly name: string }
  /** What is missing, and how it is installed. */
  | { readonly kind: "missing"; readonly reason: string }
  /** No language server is known for such files. */
  | { readonly kind: "unknown" };

export interface LspAdapterOptions {
  /** Absolute path of the session's folder. */
  readonly folder: string;
  /** Starts the command that this process is; the words of `lsp` follow its arguments. */
  readonly self: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** `languageServers` and the rest of the adapter's settings as config.jsonc has them, unread. */
  readonly settings: unknown;
  readonly logger: Logger;
  /** What the adapter and all that it starts runs in; absent where it has no sandbox. */
  readonly sandbox?: LspSandbox;
}

/** The sandbox of a folder's adapter, which has to share the folder of its own files with whoever connects to it. */
export interface LspSandbox {
  /** Starts the adapter, which ends with this process. Resolves with `ready`, or with what it said instead. Never rejects. */
  readonly start: (words: readonly string[], input: string) => Promise<string>;
  /** Runs a program that answers and ends. Never rejects. */
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
  readonly self: LspAdapterOptions["self"];
  /** The folder for an editor that names none. */
  readonly folder: string | undefined;
  /** The adapter's settings in a folder, for an editor that gives none as `initializationOptions`. */
  readonly settingsFor: (folder: string) => Promise<unknown>;
  readonly logger: Logger;
}

export interface LspCheckOptions {
  readonly folder: string;
  readonly settings: unknown;
  readonly signal: AbortSignal;
}

/** One line of `doctor`. */
export interface LanguageServerCheck {
  /** Such as `rust-analyzer`. */
  readonly name: string;
  /** `absent` where the workspace has no use for it. */
  readonly status: "ok" | "missing" | "absent";
  /** Its version, or what is wrong. */
  readonly detail: string;
  /** How it is installed on this platform. */
  readonly remedy?: string;
}
