import {
  fileUri,
  type LanguageServerStatus,
  messageOf,
  type OperationState,
  pathOfFileUri,
  SymposiumError,
} from "@symposium-dev/core";
import {
  LanguageServer,
  type LanguageServerOptions,
  type PublishedDiagnostics,
} from "../connection/language-server.js";
import { OpenDocuments } from "../documents/open-documents.js";
import {
  environmentIn,
  findServer,
  languageIdOf,
  type ServerDefinition,
} from "../language-servers/server-definition.js";
import { RestartPolicy, treeMemory } from "./restart-policy.js";

interface Published extends PublishedDiagnostics {
  /** Time at which the diagnostics were published, in milliseconds of `performance.now()`. */
  readonly at: number;
}

/** One run of a language server, with the documents sent to it and the diagnostics that it published. Each restart creates a new object. */
export interface RunningServer {
  readonly server: LanguageServer;
  readonly documents: OpenDocuments;
  /** Diagnostics by canonical URI. */
  readonly published: Map<string, Published>;
  /** Time of the last changed text or file that the server was notified of, by `performance.now()`. */
  changedAt: number;
}

interface SupervisedServerOptions extends Omit<LanguageServerOptions, "launch"> {
  readonly definition: ServerDefinition;
  readonly folder: string;
  readonly isTrusted: () => Promise<boolean>;
  readonly idleStopMs: number;
}

const watchMs = 3_000;
/** Milliseconds before searching again for a missing server, which the user may have installed. */
const missingMs = 3_000;

type Use =
  | { readonly kind: "running"; readonly running: RunningServer }
  | { readonly kind: "unavailable"; readonly state: OperationState };

/**
 * Manages a language server for one folder: starts it on first use, restarts it after a crash, stops it when idle, and ends it above its
 * memory limit.
 */
export class SupervisedServer implements AsyncDisposable {
  readonly #policy = new RestartPolicy();
  #starting: Promise<Use> | undefined;
  #running: RunningServer | undefined;
  #missing: { readonly state: OperationState; readonly at: number } | undefined;
  #lastProblem: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #usedAt = 0;
  #inUse = 0;
  #memory: number | undefined;
  #isClosed = false;
  readonly #leaving = new Set<Promise<void>>();

  constructor(private readonly options: SupervisedServerOptions) {}

  get definition(): ServerDefinition {
    return this.options.definition;
  }

  get root(): string {
    return this.options.root;
  }

  get running(): RunningServer | undefined {
    return this.#running;
  }

  /** Starts the server unless it is running. Concurrent calls share one start. */
  async start(): Promise<Use> {
    this.#usedAt = performance.now();
    if (this.#running && !this.#running.server.hasEnded) return { kind: "running", running: this.#running };
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /** Marks the server as in use until the returned function is called. */
  hold(): () => void {
    this.#inUse += 1;
    return () => {
      this.#inUse -= 1;
      this.#usedAt = performance.now();
    };
  }

  /** Returns the state for `status`; undefined if the server was never needed. */
  async status(): Promise<LanguageServerStatus | undefined> {
    if (this.#running) {
      const { server } = this.#running;
      const memory = server.pid === undefined ? undefined : await treeMemory(server.pid);
      return { name: server.name, state: server.readiness.state, ...(memory !== undefined && { memory }) };
    }
    const name = this.options.definition.name;
    if (this.#missing) return { name, state: this.#missing.state };
    if (this.#lastProblem !== undefined) return { name, state: { kind: "degraded", reason: this.#lastProblem } };
    return this.#starting ? { name, state: { kind: "loading" } } : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#starting;
    await this.#stop();
    await Promise.all(this.#leaving);
  }

  async #start(): Promise<Use> {
    if (this.#missing && performance.now() - this.#missing.at < missingMs) return unavailable(this.#missing.state);
    if (!this.#policy.isAllowed) return unavailable(this.#givenUp());
    const { definition, root, folder, isTrusted, env } = this.options;
    const signal = AbortSignal.timeout(30_000);
    const surroundings = { root, folder, isTrusted: await isTrusted(), env, platform: process.platform, signal };
    const found = await findServer(definition, surroundings);
    if (found.kind === "missing") {
      const state: OperationState = {
        kind: "degraded",
        reason: `No language server: ${found.detail}. ${found.remedy}`,
      };
      this.#missing = { state, at: performance.now() };
      return unavailable(state);
    }
    this.#missing = undefined;
    try {
      const server = await LanguageServer.start({
        ...this.options,
        launch: found.launch,
        env: environmentIn(surroundings),
      });
      return this.#adopt(server);
    } catch (error) {
      this.#noteEnd(error instanceof SymposiumError ? error.message : messageOf(error));
      return unavailable({ kind: "degraded", reason: this.#lastProblem ?? messageOf(error) });
    }
  }

  #adopt(server: LanguageServer): Use {
    const { definition, logger } = this.options;
    const documents = new OpenDocuments(server, (path) => languageIdOf(definition, path));
    const running: RunningServer = { server, documents, published: new Map(), changedAt: -Infinity };
    server.onDiagnostics = (published) => {
      const path = pathOfFileUri(published.uri);
      const uri = path === undefined ? published.uri : fileUri(path);
      running.published.set(uri, { ...published, uri, at: performance.now() });
    };
    this.#running = running;
    this.#memory = undefined;
    logger.info("language server runs", { name: server.name, pid: server.pid });
    void server.ended.then((how) => {
      if (this.#running !== running) return;
      this.#running = undefined;
      this.#noteEnd(how);
      this.#track(server[Symbol.asyncDispose]());
    });
    clearInterval(this.#timer);
    const intervalMs = Math.min(watchMs, Math.max(this.options.idleStopMs, 100));
    this.#timer = setInterval(() => void this.#watchOver(running), intervalMs);
    this.#timer.unref();
    if (this.#isClosed) this.#track(this.#stop());
    return { kind: "running", running };
  }

  async #watchOver({ server }: RunningServer): Promise<void> {
    const { idleStopMs, definition } = this.options;
    if (server.hasEnded) return;
    if (this.#inUse === 0 && performance.now() - this.#usedAt > idleStopMs) return this.#stop();
    const limit = definition.memoryLimitMiB;
    if (limit === undefined || server.pid === undefined) return;
    this.#memory = await treeMemory(server.pid);
    const used = Math.round((this.#memory ?? 0) / 1024 / 1024);
    if (used > limit) server.kill(`was stopped because it used ${used} MiB of memory; the limit is ${limit} MiB`);
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    clearInterval(this.#timer);
    await running?.server[Symbol.asyncDispose]();
  }

  #track(ending: Promise<void>): void {
    const tracked = ending.catch(() => undefined).finally(() => this.#leaving.delete(tracked));
    this.#leaving.add(tracked);
  }

  #noteEnd(how: string): void {
    this.#lastProblem = how;
    if (this.#isClosed) return;
    this.#policy.noteEnd();
    this.options.logger.warn("language server ended", { how });
  }

  #givenUp(): OperationState {
    const seconds = Math.ceil(this.#policy.waitMs / 1000);
    const reason = `${this.#lastProblem ?? this.options.definition.name} It stopped too often and won't be restarted for ${seconds} s.`;
    return { kind: "degraded", reason };
  }
}

function unavailable(state: OperationState): Use {
  return { kind: "unavailable", state };
}
