import {
  Fault,
  type IdeOperationName,
  ideOperationMethod,
  ideOperationNames,
  ideOperationReaders,
  type IdeParams,
  type IdeResult,
  type LanguageServers,
  type LspAdapterOptions,
  messageOf,
  notSupported,
  type ServerFinding,
  SymposiumError,
  stringOf,
} from "@symposium-dev/core";
import { configFolder, TrustFile } from "@symposium-dev/core/node";
import type { ServerFinder } from "./language-servers/server-finder.js";
import type { AdapterConnection } from "./sharing/adapter-connection.js";

const editorOnly: ReadonlySet<IdeOperationName> = new Set(["selection", "openFiles"]);

/**
 * Client of the adapter process that the user's sessions share for a folder. Connects on the first operation, starting the process if
 * needed. Reconnects after a crash and resends unsaved texts.
 */
export class AdapterClient implements LanguageServers {
  readonly supported: ReadonlySet<IdeOperationName> = new Set(
    ideOperationNames.filter((name) => !editorOnly.has(name)),
  );
  readonly #unsaved = new Map<string, string>();
  #connecting: Promise<AdapterConnection> | undefined;
  #finder: Promise<ServerFinder> | undefined;
  readonly #closing = new AbortController();
  #isClosed = false;

  constructor(private readonly options: LspAdapterOptions) {}

  async run<N extends IdeOperationName>(name: N, params: IdeParams<N>, signal: AbortSignal): Promise<IdeResult<N>> {
    if (!this.supported.has(name)) throw notSupported(name);
    if (name === "setDocument") this.#remember(params);
    for (let attempt = 0; ; attempt++) {
      if (signal.aborted) throw new SymposiumError("cancelled", `"${name}" was cancelled.`);
      const connection = await this.#connect();
      try {
        return readResult(name, await connection.request(ideOperationMethod(name), params, signal));
      } catch (error) {
        // Repeat the operation if the process was lost, but never an edit, which may already have been applied.
        const isLost = connection.isClosed && name !== "applyEdit" && attempt < 2 && !signal.aborted;
        if (!isLost) throw failureOf(name, error, signal);
      }
    }
  }

  async findServer(uri: string): Promise<ServerFinding> {
    this.#finder ??= this.#newFinder();
    return (await this.#finder).find(uri);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    const connection = await this.#connecting?.catch(() => undefined);
    connection?.[Symbol.dispose]();
  }

  async #newFinder(): Promise<ServerFinder> {
    const { ServerFinder } = await import("./language-servers/server-finder.js");
    const { parseAdapterSettings } = await import("./language-servers/adapter-settings.js");
    const { folder, settings, self, sandbox } = this.options;
    const env = { ...process.env, ...self.env };
    const { signal } = this.#closing;
    const trusted = new TrustFile(configFolder(env));
    return new ServerFinder({
      folder,
      settings: parseAdapterSettings(settings, trusted).settings,
      env,
      signal,
      ask: sandbox?.ask,
    });
  }

  #remember(params: object): void {
    if (!("uri" in params) || typeof params.uri !== "string" || !("text" in params)) return;
    if (typeof params.text === "string") this.#unsaved.set(params.uri, params.text);
    else this.#unsaved.delete(params.uri);
  }

  async #connect(): Promise<AdapterConnection> {
    if (this.#isClosed) throw new SymposiumError("cancelled", "The session has ended.");
    const known = this.#connecting;
    if (known) {
      const connection = await known;
      if (!connection.isClosed) return connection;
      if (this.#connecting === known) this.#connecting = undefined;
    }
    this.#connecting ??= this.#open();
    const opening = this.#connecting;
    try {
      return await opening;
    } catch (error) {
      if (this.#connecting === opening) this.#connecting = undefined;
      throw error;
    }
  }

  async #open(): Promise<AdapterConnection> {
    // Load the module on demand, since in most sessions the editor answers instead.
    const { connectOrStart } = await import("./sharing/connect-or-start.js");
    const connection = await connectOrStart(this.options);
    for (const [uri, text] of this.#unsaved) {
      await connection.request(ideOperationMethod("setDocument"), { uri, text }, new AbortController().signal);
    }
    return connection;
  }
}

function readResult<N extends IdeOperationName>(name: N, value: unknown): IdeResult<N> {
  const result = ideOperationReaders[name].result(value, "");
  if (!(result instanceof Fault)) return result;
  throw new SymposiumError("ide-operation-failed", `Can't read the adapter's answer to "${name}": ${result.message}`);
}

function failureOf(name: string, error: unknown, signal: AbortSignal): SymposiumError {
  if (signal.aborted) return new SymposiumError("cancelled", `"${name}" was cancelled.`);
  if (error instanceof SymposiumError) return error;
  const data = error instanceof Error && "data" in error ? error.data : undefined;
  const hint = typeof data === "object" && data !== null && "hint" in data ? data.hint : undefined;
  return new SymposiumError("ide-operation-failed", messageOf(error), stringOf(hint));
}
