import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileUri, type Logger, type OperationState, pathOfFileUri, SymposiumError } from "@symposium-dev/core";
import type { Watchdog } from "@symposium-dev/core/node";
import type { ServerRequest } from "./connection/language-server.js";
import { ErrorCodes, ResponseError } from "vscode-languageserver-protocol/node";
import { encodeParams, fromServer, type PositionEncoding } from "./connection/position-encoding.js";
import { DiskTexts, DocumentView } from "./documents/document-view.js";
import { findFiles } from "./documents/find-file.js";
import { fileChangeTypes, FolderWatch } from "./documents/folder-watch.js";
import { type RunningServer, SupervisedServer } from "./health/supervised-server.js";
import type { AdapterSettings } from "./language-servers/adapter-settings.js";
import { projectRoot } from "./language-servers/server-finder.js";
import { languageIdOf, languageRank, type ServerDefinition } from "./language-servers/server-definition.js";

interface WorkspaceOptions {
  /** Absolute path. */
  readonly folder: string;
  readonly settings: AdapterSettings;
  readonly watchdog: Watchdog;
  readonly logger: Logger;
  readonly env?: NodeJS.ProcessEnv;
  readonly encodings?: readonly PositionEncoding[];
}

/** A question to a language server. */
export interface Question {
  readonly view: DocumentView;
  /** The document it is about; absent for one about the workspace. */
  readonly uri?: string;
  readonly request: ServerRequest<object>;
  readonly params: object;
  /** What the server has to support, where it is not `request`. */
  readonly support?: ServerRequest<object>;
  /** A part of the answer is no answer: the server reads the workspace first. */
  readonly needsWhole: boolean;
}

/** What came of a question. */
export type Reply =
  | {
      readonly kind: "answered";
      /** As LSP has it, with positions in UTF-16 code units. */
      readonly value: unknown;
      readonly state: OperationState;
      readonly running: RunningServer;
    }
  /** The server has no such ability. */
  | { readonly kind: "not-supported"; readonly server: string; readonly state: OperationState }
  /** There is no server. */
  | { readonly kind: "unavailable"; readonly state: OperationState };

/** An empty answer so soon after a change may only mean that the server has not read the change. */
const transientMs = 2_000;
const transientRetries = 4;
/** Between two questions to a server that still reads the workspace. */
const firstPauseMs = 40;
const lastPauseMs = 400;
/** How long a server may read what a document includes, and after which time it has at least begun to. */
const rereadMs = 5_000;
const unaffectedMs = 500;
/** Of the documents that were edited, so many are remembered. */
const maxEdited = 200;

/** One folder with its language servers, which everybody who asks about it shares. */
export class Workspace implements AsyncDisposable {
  readonly disk = new DiskTexts();
  readonly #onDisk = new DocumentView(this.disk);
  readonly #watch: FolderWatch;
  readonly #servers = new Map<string, SupervisedServer>();
  readonly #edited = new Set<string>();
  /** Of the folders of documents, by definition; good until a file appears or goes. */
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

  /** Every server that was needed so far. */
  get servers(): readonly SupervisedServer[] {
    return [...this.#servers.values()];
  }

  /** The server for a document; undefined where none is known for such files. */
  serverFor(uri: string): SupervisedServer | undefined {
    const path = pathOfFileUri(uri);
    const definition = this.definitionFor(uri);
    return path === undefined || !definition ? undefined : this.#serverIn(definition, this.#rootFor(definition, path));
  }

  /** The kind of server for a document; undefined where none is known for such files. */
  definitionFor(uri: string): ServerDefinition | undefined {
    const path = pathOfFileUri(uri);
    if (path === undefined) return undefined;
    return this.options.settings.servers.find((one) => languageIdOf(one, path) !== undefined);
  }

  /** A server and one of its documents for each language of the workspace; `documents` leaves out all but their languages. */
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

  /** Notifies every running server of what changed on disk since the last call, so that no answer is older than the call. */
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

  /** Documents that were edited on disk since the beginning, the last ones of them. */
  get edited(): readonly string[] {
    return [...this.#edited];
  }

  /** Makes the server of a document read it, and returns it where it runs. */
  async open(view: DocumentView, uri: string): Promise<RunningServer | OperationState | undefined> {
    const use = await this.serverFor(uri)?.start();
    if (use?.kind !== "running") return use?.state;
    await this.follow();
    this.#show(use.running, view, uri);
    return use.running;
  }

  /** Asks the server of the document. Rejects with `ide-operation-failed` when the server refuses or fails. */
  async ask(question: Question & { readonly uri: string }, signal: AbortSignal): Promise<Reply> {
    const server = this.serverFor(question.uri);
    if (server) return this.askServer(server, question, signal);
    const reason = `No language server is known for ${question.uri.slice(question.uri.lastIndexOf("/") + 1)}. \`languageServers\` in config.jsonc can name one.`;
    return { kind: "unavailable", state: { kind: "degraded", reason } };
  }

  /** The same for a server that is known already. */
  async askServer(server: SupervisedServer, question: Question, signal: AbortSignal): Promise<Reply> {
    const release = server.hold();
    try {
      for (let life = 0; ; life++) {
        const use = await server.start();
        if (use.kind === "unavailable") return use;
        try {
          return await this.#askRunning(use.running, question, signal);
        } catch (error) {
          // The question may have come while it ended; a second end is no coincidence.
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

  async #askRunning(running: RunningServer, question: Question, signal: AbortSignal): Promise<Reply> {
    const { view, uri, request, needsWhole } = question;
    const { server } = running;
    let deadline: AbortSignal | undefined;
    let pauseMs = firstPauseMs;
    // Most questions wait for nothing, and a signal with a timer costs more than the rest of their way.
    const mayAskAgain = async (): Promise<boolean> => {
      deadline ??= AbortSignal.any([signal, AbortSignal.timeout(this.options.settings.readyTimeoutMs)]);
      if (needsWhole) return server.readiness.whenSettled(deadline);
      // A server knows enough for most questions long before it has read everything.
      await server.readiness.whenSettled(AbortSignal.any([deadline, AbortSignal.timeout(pauseMs)]));
      pauseMs = Math.min(pauseMs * 2, lastPauseMs);
      return !deadline.aborted;
    };
    for (let retries = 0; ;) {
      await this.follow();
      // Documents are opened first: some servers read a project only then.
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
        // While it reads, a server may not even know the file.
        if (await mayAskAgain()) continue;
        if (isRefusal(error)) throw error;
        return { kind: "answered", value: null, state: loadingOf(running), running };
      }
      // What was complete when it was asked may have been about to change.
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

  async #ask(running: RunningServer, question: Question, signal: AbortSignal, isWhole: boolean): Promise<unknown> {
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
    // Where changes go unnoticed, nothing is remembered.
    const known = this.#watch.isComplete ? this.#roots.get(key) : undefined;
    const root = known ?? projectRoot(path, folder, definition.rootMarkers);
    if (known === undefined) this.#roots.set(key, root);
    // A file from elsewhere, such as a library's, is best known to a server that has met it.
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

/** Waits until a server has read again what a document includes, where something has just changed. */
async function whenReread(
  { server, published, changedAt }: RunningServer,
  uri: string,
  signal: AbortSignal,
): Promise<void> {
  while (performance.now() - changedAt < rereadMs && !signal.aborted && !server.hasEnded) {
    if ((published.get(uri)?.at ?? -Infinity) > changedAt) return;
    // Nothing that the document includes has changed, as it seems.
    if (performance.now() - changedAt > unaffectedMs && server.readiness.isSettled) return;
    await delay(10);
  }
}

/** Whether the server has answered, by a no. */
function isRefusal(error: unknown): boolean {
  return error instanceof SymposiumError && error.cause instanceof ResponseError;
}

/** Whether the server has answered that it knows no such method. */
function isUnknown(error: unknown): boolean {
  const cause = error instanceof SymposiumError ? error.cause : undefined;
  return cause instanceof ResponseError && cause.code === ErrorCodes.MethodNotFound;
}

/** Whether the server has found nothing. */
function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
