/** A language client of one folder. Disposing ends its process and what it shows. */
export interface StartableClient extends AsyncDisposable {
  /** Returns whether a language server runs. Without a server, only what the client shows is left. Never rejects. */
  start(): Promise<boolean>;
}

export interface WantedClient {
  readonly languages: readonly string[];
  /** JSON value of all that the client depends on. A different value replaces the running client. */
  readonly configuration: unknown;
  readonly create: () => StartableClient;
}

interface RunningClient {
  readonly client: StartableClient;
  readonly languages: readonly string[];
  readonly configuration: string;
  hasFailed: boolean;
}

/** Language clients by the URI of their folder. */
export class RunningClients implements AsyncDisposable {
  readonly #entries = new Map<string, RunningClient>();
  #isDisposed = false;

  /** Returns whether a client serves the language or is starting. */
  serves(languageId: string): boolean {
    return [...this.#entries.values()].some(({ languages, hasFailed }) => !hasFailed && languages.includes(languageId));
  }

  /** Starts and stops clients, until exactly the `wanted` ones run. Tries again to start clients without a language server. */
  async follow(wanted: ReadonlyMap<string, WantedClient>): Promise<void> {
    const isKept = (folder: string, { configuration, hasFailed }: RunningClient): boolean =>
      !hasFailed && JSON.stringify(wanted.get(folder)?.configuration) === configuration;
    await this.#stop([...this.#entries].filter(([folder, entry]) => !isKept(folder, entry)));
    if (this.#isDisposed) return;
    await Promise.all(
      [...wanted].map(async ([folder, { languages, configuration, create }]) => {
        if (this.#entries.has(folder)) return;
        const client = create();
        const entry = { client, languages, configuration: JSON.stringify(configuration), hasFailed: false };
        this.#entries.set(folder, entry);
        entry.hasFailed = !(await client.start());
      }),
    );
  }

  /** Stops all clients, including clients that are starting. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#stop([...this.#entries]);
  }

  async #stop(entries: readonly (readonly [string, RunningClient])[]): Promise<void> {
    await Promise.all(
      entries.map(async ([folder, { client }]) => {
        this.#entries.delete(folder);
        await client[Symbol.asyncDispose]();
      }),
    );
  }
}
