import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileUri, type Logger, type OperationState, pathOfFileUri, SymposiumError } from "@symposium-dev/core";
import type { Watchdog } from "@symposium-dev/core/node";
import type { ServerRequest } from "./connection/language-server.js";
import { ErrorCodes, ResponseError } from "vscode-languageserver-protocol/node";
import { encodeParams, fromServer, type PositionEncoding } from "./connection/position-encoding.js";
import { DiskTexts, DocumentView } from "./documents/client-documents.js";
import { findFiles } from "./documents/find-file.js";
import { fileChangeTypes, FolderWatch } from "./documents/folder-watch.js";
import { type RunningServer, SupervisedServer } from "./health/supervised-server.js";
import type { AdapterSettings } from "./language-servers/adapter-settings.js";
import { projectRoot } from "./language-servers/server-finder.js";
import { languageIdOf, languageRank, type ServerDefinition } from "./language-servers/server-definition.js";

interface WorkspaceOptions {
  /** Absolute path of the workspace's folder. */
  readonly folder: string;
  readonly settings: AdapterSettings;
  readonly watchdog: Watchdog;
  readonly logger: Logger;
  readonly env?: NodeJS.ProcessEnv;
  readonly encodings?: readonly PositionEncoding[];
}

export interface ServerQuestion {
  readonly view: DocumentView;
  /** Document of the question; absent if it is about the workspace. */
  readonly uri?: string;
  readonly request: ServerRequest<object>;
  readonly params: object;
  /** Method that the server must support if different from `request`. */
  readonly support?: ServerRequest<object>;
  /** Whether a partial answer is useless, so that the server must first read the workspace. */
  readonly needsWhole: boolean;
}

export type Reply =
  | {
      readonly kind: "answered";
      /** Value in LSP's format with positions in UTF-16 code units. */
      readonly value: unknown;
      readonly state: OperationState;
      readonly running: RunningServer;
    }
  | { readonly kind: "not-supported"; readonly server: string; readonly state: OperationState }
  | { readonly kind: "unavailable"; readonly state: OperationState };

/** Milliseconds after a change in which an empty answer may mean that the server hasn't read the change. */
const transientMs = 2_000;
const transientRetries = 4;
/** Milliseconds between questions to a server that is still reading the workspace. */
const firstPauseMs = 40;
const lastPauseMs = 400;
/**
 * Maximum number of milliseconds for a server to reread the files that a document includes, and number of milliseconds within which a
 * server starts rereading.
 */
const rereadMs = 5_000;
const unaffectedMs = 500;
const maxEdited = 200;

export class Workspace implements AsyncDisposable {
  readonly disk = new DiskTexts();
  readonly #onDisk = new DocumentView(this.disk);
  readonly #watch: FolderWatch;
  readonly #servers = new Map<string, SupervisedServer>();
  readonly #edited = new Set<string>();
  /** Project roots by definition and folder; valid until a file appears or disappears. */
  readonly #roots = new Map<string, string>();

  constructor(private readonly options: WorkspaceOptions) {
    this.#watch = new FolderWatch(options.folder);
  }

  get folder(): string {
    return this.options.folder;
  }

  get settings(): AdapterSettings {
    return this.options.settings;
  }

  get servers(): readonly SupervisedServer[] {
    return [...this.#servers.values()];
  }

  /** Returns the server for a document; undefined if no server supports the file. */
  serverFor(uri: string): SupervisedServer | undefined {
    const path = pathOfFileUri(uri);
    const definition = this.definitionFor(uri);
    return path === undefined || !definition ? undefined : this.#serverIn(definition, this.#rootFor(definition, path));
  }

  /** Returns the server definition for a document; undefined if no server supports the file. */
  definitionFor(uri: string): ServerDefinition | undefined {
    const path = pathOfFileUri(uri);
    if (path === undefined) return undefined;
    return this.options.settings.servers.find((one) => languageIdOf(one, path) !== undefined);
  }

  /** Returns a server and one of its documents for each workspace language, or only for the languages of `documents`. */
  async serversOfLanguages(
    documents?: readonly string[],
  ): Promise<readonly { readonly server: SupervisedServer; readonly uri: string }[]> {
    const { folder, settings } = this.options;
    const wanted = documents && new Set(documents.map((uri) => this.definitionFor(uri)));
    const files = await findFiles(
      folder,
      settings.servers.map((one) => (name: string) => languageRank(one, name)),
    );
    return settings.servers.flatMap((definition, index) => {
      const path = files[index];
      return path === undefined || wanted?.has(definition) === false
        ? []
        : [{ server: this.#serverIn(definition, this.#rootFor(definition, path)), uri: fileUri(path) }];
    });
  }

  /** Notifies running servers of changes on disk since the last call, so that no answer is older than the call. */
  async follow(): Promise<void> {
    const changes = await this.#watch.takeChanges();
    if (changes.length === 0) return;
    if (changes.some(({ type }) => type !== fileChangeTypes.changed)) this.#roots.clear();
    for (const { path, type } of changes) this.#noteEdited(fileUri(path), type === fileChangeTypes.deleted);
    for (const { running } of this.servers) {
      if (!running) continue;
      running.documents.follow(changes, this.#onDisk);
      running.changedAt = performance.now();
    }
  }

  /** Documents that were most recently edited on disk since the adapter started. */
  get edited(): readonly string[] {
    return [...this.#edited];
  }

  /** Opens a document in its server and returns the server if running. */
  async open(view: DocumentView, uri: string): Promise<RunningServer | OperationState | undefined> {
    const use = await this.serverFor(uri)?.start();
    if (use?.kind !== "running") return use?.state;
    await this.follow();
    this.#show(use.running, view, uri);
    return use.running;
  }

  /** Asks a document's server. Rejects with `ide-operation-failed` if the server refuses or fails. */
  async ask(question: ServerQuestion & { readonly uri: string }, signal: AbortSignal): Promise<Reply> {
    const server = this.serverFor(question.uri);
    if (server) return this.askServer(server, question, signal);
    const reason =
      `No language server is known for ${question.uri.slice(question.uri.lastIndexOf("/") + 1)}. You can add one to ` +
      "`languageServers` in config.jsonc.";
    return { kind: "unavailable", state: { kind: "degraded", reason } };
  }

  /** Asks a known server; otherwise like {@link ask}. */
  async askServer(server: SupervisedServer, question: ServerQuestion, signal: AbortSignal): Promise<Reply> {
    const release = server.hold();
    try {
      for (let life = 0; ; life++) {
        const use = await server.start();
        if (use.kind === "unavailable") return use;
        try {
          return await this.#askRunning(use.running, question, signal);
        } catch (error) {
          // The server may have been ending when the request arrived; a second exit is an error.
          if (!use.running.server.hasEnded || life > 0 || signal.aborted) throw error;
        }
      }
    } finally {
      release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    await Promise.all(this.servers.map((server) => server[Symbol.asyncDispose]()));
  }

  async #askRunning(running: RunningServer, question: ServerQuestion, signal: AbortSignal): Promise<Reply> {
    const { view, uri, request, needsWhole } = question;
    const { server } = running;
    let deadline: AbortSignal | undefined;
    let pauseMs = firstPauseMs;
    // Create the deadline on demand: most questions don't wait, and the timer would cost more than everything else.
    const mayAskAgain = async (): Promise<boolean> => {
      deadline ??= AbortSignal.any([signal, AbortSignal.timeout(this.options.settings.readyTimeoutMs)]);
      if (needsWhole) return server.readiness.whenSettled(deadline);
      // Ask again soon, since a server can answer most questions long before it has read the whole workspace.
      await server.readiness.whenSettled(AbortSignal.any([deadline, AbortSignal.timeout(pauseMs)]));
      pauseMs = Math.min(pauseMs * 2, lastPauseMs);
      return !deadline.aborted;
    };
    for (let retries = 0; ;) {
      await this.follow();
      // Open the documents first, since some servers read a project only when a document opens.
      this.#show(running, view, uri);
      if (server.rereadsLate && uri !== undefined) await whenReread(running, uri, signal);
      if (needsWhole && !server.readiness.isSettled) await mayAskAgain();
      const supported = (question.support ?? request).method;
      if (!server.capabilities.supports(supported)) {
        return { kind: "not-supported", server: server.title, state: server.readiness.state };
      }
      const isWhole = server.readiness.isSettled;
      let value: unknown;
      try {
        value = await this.#ask(running, question, signal, isWhole);
      } catch (error) {
        if (isUnknown(error)) {
          server.capabilities.refuse(supported);
          continue;
        }
        const isReading = !isWhole || !server.readiness.isSettled;
        if (!isReading || server.hasEnded || signal.aborted) throw error;
        // A server that is still reading may not know the file.
        if (await mayAskAgain()) continue;
        if (isRefusal(error)) throw error;
        return { kind: "answered", value: null, state: loadingOf(running), running };
      }
      // Check the server's current state too, since an answer that was complete when requested may already be outdated.
      const isPart = isEmpty(value) ? !isWhole : needsWhole && !server.readiness.isSettled;
      if (isPart && (await mayAskAgain())) continue;
      const isFresh = performance.now() - running.changedAt < transientMs;
      if (isEmpty(value) && isFresh && retries < transientRetries && !signal.aborted) {
        await delay(20 * 2 ** retries++);
        continue;
      }
      return { kind: "answered", value, state: isWhole ? server.readiness.state : loadingOf(running), running };
    }
  }

  async #ask(
    running: RunningServer,
    question: ServerQuestion,
    signal: AbortSignal,
    isWhole: boolean,
  ): Promise<unknown> {
    const { server } = running;
    const { view, uri, request, params } = question;
    const { readyTimeoutMs, requestTimeoutMs } = this.options.settings;
    const lineText = (document: string, line: number): string | undefined => view.lineOf(document, line);
    const encoded = encodeParams(server.encoding, params, uri ?? "", lineText);
    const answer = await server.request(request, encoded, signal, {
      prepare: () => this.#show(running, view, uri),
      timeoutMs: isWhole ? requestTimeoutMs : Math.min(readyTimeoutMs, requestTimeoutMs),
    });
    return fromServer(server.encoding, answer, uri ?? "", lineText);
  }

  #show(running: RunningServer, view: DocumentView, uri: string | undefined): void {
    if (running.documents.show(view, uri)) running.changedAt = performance.now();
  }

  #noteEdited(uri: string, isGone: boolean): void {
    this.#edited.delete(uri);
    if (!isGone) this.#edited.add(uri);
    const [oldest] = this.#edited;
    if (this.#edited.size > maxEdited && oldest !== undefined) this.#edited.delete(oldest);
  }

  #rootFor(definition: ServerDefinition, path: string): string {
    const { folder } = this.options;
    const key = `${definition.name}\n${dirname(path)}`;
    // Use the cached folder only if changes to the file tree are noticed.
    const known = this.#watch.isComplete ? this.#roots.get(key) : undefined;
    const root = known ?? projectRoot(path, folder, definition.rootMarkers);
    if (known === undefined) this.#roots.set(key, root);
    // For a file outside the workspace, such as a library file, prefer a server that is already running.
    if (root !== folder) return root;
    const isKnown = this.#servers.has(keyOf(definition, folder));
    return isKnown ? folder : (this.servers.find((server) => server.definition === definition)?.root ?? folder);
  }

  #serverIn(definition: ServerDefinition, root: string): SupervisedServer {
    const key = keyOf(definition, root);
    const known = this.#servers.get(key);
    if (known) return known;
    const { folder, settings, watchdog, logger, env = process.env, encodings } = this.options;
    const server = new SupervisedServer({
      definition,
      root,
      folder,
      isTrusted: () => settings.isTrusted(root),
      env,
      idleStopMs: settings.idleStopMs,
      requestTimeoutMs: settings.requestTimeoutMs,
      watchdog,
      logger: logger.child(`language-server.${definition.name}`),
      ...(encodings && { encodings }),
    });
    this.#servers.set(key, server);
    return server;
  }
}

function keyOf(definition: ServerDefinition, root: string): string {
  return `${definition.name}\n${root}`;
}

function loadingOf({ server }: RunningServer): OperationState {
  const { state } = server.readiness;
  return state.kind === "loading" ? state : { kind: "loading" };
}

/** After a change, waits until a server has reread the files that a document includes. */
async function whenReread(
  { server, published, changedAt }: RunningServer,
  uri: string,
  signal: AbortSignal,
): Promise<void> {
  while (performance.now() - changedAt < rereadMs && !signal.aborted && !server.hasEnded) {
    if ((published.get(uri)?.at ?? -Infinity) > changedAt) return;
    // The server hasn't started rereading, so apparently no included file has changed.
    if (performance.now() - changedAt > unaffectedMs && server.readiness.isSettled) return;
    await delay(10);
  }
}

/** Returns whether the server answered with an error. */
function isRefusal(error: unknown): boolean {
  return error instanceof SymposiumError && error.cause instanceof ResponseError;
}

function isUnknown(error: unknown): boolean {
  const cause = error instanceof SymposiumError ? error.cause : undefined;
  return cause instanceof ResponseError && cause.code === ErrorCodes.MethodNotFound;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
