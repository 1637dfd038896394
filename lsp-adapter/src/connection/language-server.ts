import { basename } from "node:path";
import { fileUri, messageOf, SymposiumError } from "@symposium-dev/core";
import {
  type CancellationToken,
  CancellationTokenSource,
  createMessageConnection,
  DidChangeConfigurationNotification,
  ErrorCodes,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  type MessageConnection,
  type ProtocolNotificationType,
  type ProtocolRequestType,
  PublishDiagnosticsNotification,
  ResponseError,
  ShutdownRequest,
} from "vscode-languageserver-protocol/node";
import { CapabilityTable, notSupportedBy } from "./capability-table.js";
import { clientCapabilities, replyTo } from "./client-capabilities.js";
import { encodingOf, type PositionEncoding } from "./position-encoding.js";
import { FrameWriter } from "./frame-writer.js";
import { Readiness, type ReadinessSignal } from "./readiness.js";
import { ServerProcess, type ServerProcessOptions } from "./server-process.js";
import { ServerReader } from "./server-reader.js";

export interface Launch {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly initializationOptions?: unknown;
  /** Settings that answer `workspace/configuration`, as objects nested by the parts of their dotted names. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly readiness: ReadinessSignal;
  /** Sentence about what the server's answers lack, with a remedy. */
  readonly limitation?: string;
  /** Whether, after a change, the server answers with outdated data about other files until it publishes their diagnostics again. */
  readonly rereadsLate?: boolean;
  /**
   * Whether the server publishes diagnostics in parts, and publishes none if a text remains free of problems. In this case, tsserver, which
   * runs behind the server, must be asked instead.
   */
  readonly drivesTsserver?: boolean;
}

export interface LanguageServerOptions extends ServerProcessOptions {
  readonly launch: Launch;
  readonly root: string;
  /** Accepted column encodings, preferred first; default: UTF-16, which every server supports and needs no conversion. */
  readonly encodings?: readonly PositionEncoding[];
  /** Maximum milliseconds for initialization; default 30 s. */
  readonly startTimeoutMs?: number;
  /** Maximum milliseconds for one answer; default 20 s. */
  readonly requestTimeoutMs?: number;
}

/** Typed protocol request. Answers are untyped, since servers differ. */
export type ServerRequest<P> = ProtocolRequestType<P, unknown, unknown, unknown, unknown>;

interface RequestOptions {
  readonly prepare?: () => void;
  /** Maximum time for the answer in milliseconds; default: the server's general limit. */
  readonly timeoutMs?: number;
}

export interface PublishedDiagnostics {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly unknown[];
}

/** Error codes after which to retry: the content or state changed during the request. */
const retryCodes: ReadonlySet<number> = new Set([-32801, -32802]);
const maxRetries = 6;
const shutdownMs = 1_500;

/** Running language server. Answers are untyped; each operation parses its own. */
export class LanguageServer implements AsyncDisposable {
  readonly capabilities = new CapabilityTable();
  readonly readiness: Readiness;
  /** Resolves with a sentence about why the server ended; never rejects. */
  readonly ended: Promise<string>;
  onDiagnostics: (published: PublishedDiagnostics) => void = () => undefined;
  readonly #process: ServerProcess;
  readonly #connection: MessageConnection;
  #encoding: PositionEncoding = "utf-16";
  #version: string | undefined;
  #fault: string | undefined;
  #hasEnded = false;
  #timeouts = 0;
  /** Time of the last message from the server, in milliseconds of `performance.now()`. */
  #heardAt = 0;
  #ending: Promise<void> | undefined;

  private constructor(private readonly options: LanguageServerOptions) {
    const { launch, root, watchdog, logger, env: inherited } = options;
    const { command, args, env } = launch;
    this.readiness = new Readiness(launch.readiness, launch.limitation);
    this.#process = ServerProcess.start({ command, args, env, cwd: root }, { watchdog, logger, env: inherited });
    const reader = new ServerReader(this.#process.stdout, {
      onMessage: () => (this.#heardAt = performance.now()),
      onStray: (length) => logger.debug("stray output", { bytes: length }),
      onGarbage: (length) => this.#giveUp(`wrote ${length} bytes that aren't protocol messages`),
    });
    this.#connection = createMessageConnection(reader, new FrameWriter(this.#process.stdin), {
      error: (message) => logger.debug("connection", { message }),
      warn: (message) => logger.debug("connection", { message }),
      info: () => undefined,
      log: () => undefined,
    });
    this.#connection.onError(([error]) => logger.debug("connection failed", { reason: error.message }));
    this.#listen();
    this.ended = this.#process.exited.then((how) => {
      this.#hasEnded = true;
      this.readiness[Symbol.dispose]();
      this.#connection.dispose();
      return `${launch.name} ${this.#fault ?? how}`;
    });
  }

  /** Starts and initializes a server. On failure, ends the process and rejects with `ide-operation-failed`. */
  static async start(options: LanguageServerOptions): Promise<LanguageServer> {
    const server = new LanguageServer(options);
    try {
      await server.#initialize();
      return server;
    } catch (error) {
      const reason = server.#hasEnded ? await server.ended : messageOf(error);
      await server[Symbol.asyncDispose]();
      throw new SymposiumError("ide-operation-failed", `${options.launch.name} did not start: ${reason}`);
    }
  }

  get name(): string {
    return this.options.launch.name;
  }

  /** The server's name, followed by its version if known. */
  get title(): string {
    return this.#version === undefined ? this.name : `${this.name} ${this.#version}`;
  }

  get rereadsLate(): boolean {
    return this.options.launch.rereadsLate === true;
  }

  get drivesTsserver(): boolean {
    return this.options.launch.drivesTsserver === true;
  }

  get root(): string {
    return this.options.root;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get encoding(): PositionEncoding {
    return this.#encoding;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Sends a request, and retries if the server's state changed meanwhile. Calls `prepare` before each attempt in the same tick, so its
   * messages arrive first. Rejects with `ide-operation-failed` on refusal, timeout or exit, and with `cancelled` if `signal` aborts.
   */
  async request<P extends object>(
    { method }: ServerRequest<P>,
    params: P,
    signal: AbortSignal,
    { prepare, timeoutMs = this.options.requestTimeoutMs ?? 20_000 }: RequestOptions = {},
  ): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      try {
        prepare?.();
        return await this.#ask(method, params, signal, timeoutMs);
      } catch (error) {
        const isTransient = error instanceof ResponseError && retryCodes.has(error.code);
        if (isTransient && attempt < maxRetries && !signal.aborted) continue;
        throw await this.#failureOf(method, error, signal);
      }
    }
  }

  /** Sends a notification; does nothing after the server has ended. */
  notify<P extends object>({ method }: ProtocolNotificationType<P, unknown>, params: P): void {
    if (this.#hasEnded) return;
    this.#notify(method, params).catch(() => undefined);
  }

  /** Shuts the server down by the protocol. Resolves when the process and its children have ended. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Ends the server immediately. `fault` completes a sentence that starts with the server's name. */
  #giveUp(fault: string): void {
    this.#fault ??= fault;
    void this.#process.kill();
  }

  /** Ends the server immediately on behalf of the supervisor. */
  kill(fault: string): void {
    this.#giveUp(fault);
  }

  #listen(): void {
    const { launch, root } = this.options;
    const folder = { uri: fileUri(root), name: basename(root) };
    const facts = { settings: launch.settings, folder, capabilities: this.capabilities };
    this.#connection.onRequest((method, params) => replyTo(method, params, facts));
    this.#connection.onNotification("experimental/serverStatus", (params: unknown) =>
      this.readiness.serverStatus(params),
    );
    this.#connection.onNotification(PublishDiagnosticsNotification.method, (params: PublishedDiagnostics) =>
      this.onDiagnostics(params),
    );
    this.#connection.onNotification("$/progress", (params: { token: string | number; value: unknown }) =>
      this.readiness.progress(params.token, params.value),
    );
    this.#connection.onNotification("textDocument/clangd.fileStatus", (params: { uri: string; state: string }) =>
      this.readiness.progress(params.uri, { kind: params.state.includes("parsing includes") ? "begin" : "end" }),
    );
    this.#connection.onUnhandledNotification(() => undefined);
    this.#connection.listen();
  }

  async #initialize(): Promise<void> {
    const { launch, root, encodings = ["utf-16"], startTimeoutMs = 30_000 } = this.options;
    const folder = { uri: fileUri(root), name: basename(root) };
    const params = {
      processId: process.pid,
      clientInfo: { name: "symposium" },
      rootUri: folder.uri,
      rootPath: root,
      workspaceFolders: [folder],
      capabilities: clientCapabilities(encodings),
      ...(launch.initializationOptions !== undefined && { initializationOptions: launch.initializationOptions }),
    };
    const answered = this.#ask(InitializeRequest.method, params, new AbortController().signal, startTimeoutMs);
    const result = await Promise.race([answered, this.ended.then((how) => Promise.reject(new Error(how)))]);
    const { capabilities = {}, serverInfo } = memberOf(result);
    this.#version = versionIn(memberOf(serverInfo)["version"]);
    this.capabilities.setInitial(capabilities);
    this.#encoding = encodingOf(capabilities);
    this.notify(InitializedNotification.type, {});
    this.notify(DidChangeConfigurationNotification.type, { settings: launch.settings });
    this.readiness.start();
  }

  async #ask(method: string, params: object | undefined, signal: AbortSignal, timeoutMs: number): Promise<unknown> {
    const source = new CancellationTokenSource();
    const askedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    let onAbort: () => void = () => undefined;
    const stopped = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        this.#countTimeout(askedAt);
        reject(new Error(`no answer in ${timeoutMs / 1000} s`));
      }, timeoutMs);
      onAbort = () => reject(new Error("cancelled"));
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
    const sent = this.#send(method, params, source.token);
    // Ignore failures that occur after the caller has stopped waiting.
    for (const promise of [sent, stopped]) promise.catch(() => undefined);
    let isAnswered = false;
    try {
      const answer: unknown = await Promise.race([sent, stopped]);
      isAnswered = true;
      this.#timeouts = 0;
      return answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      if (!isAnswered) source.cancel();
      source.dispose();
    }
  }

  /** Sends a request in the same tick. If the connection is closed, rejects instead of throwing. */
  async #send(method: string, params: object | undefined, token: CancellationToken): Promise<unknown> {
    return params === undefined
      ? this.#connection.sendRequest(method)
      : this.#connection.sendRequest(method, params, token);
  }

  async #notify(method: string, params?: object): Promise<void> {
    await (params === undefined
      ? this.#connection.sendNotification(method)
      : this.#connection.sendNotification(method, params));
  }

  /**
   * Records that a request timed out. A slow answer is normal if the server sends other messages meanwhile; several timeouts without any
   * message mean that the server hangs.
   */
  #countTimeout(askedAt: number): void {
    this.#timeouts = this.#heardAt > askedAt ? 0 : this.#timeouts + 1;
    if (this.#timeouts >= 3) this.#giveUp("was stopped because it left three requests in a row unanswered");
  }

  async #failureOf(method: string, error: unknown, signal: AbortSignal): Promise<SymposiumError> {
    if (signal.aborted) return new SymposiumError("cancelled", `${method} was cancelled.`);
    const isRefusal = error instanceof ResponseError && !this.#hasEnded && !this.#process.hasExited;
    if (isRefusal && error.code === ErrorCodes.MethodNotFound) return notSupportedBy(this.title, method, error);
    const reason = isRefusal ? messageOf(error) : this.#process.hasExited ? await this.ended : messageOf(error);
    return new SymposiumError("ide-operation-failed", `${this.name}: ${reason}`, undefined, { cause: error });
  }

  async #end(): Promise<void> {
    if (!this.#hasEnded && this.#fault === undefined) {
      // Send no parameters: some servers reject an empty list.
      await this.#ask(ShutdownRequest.method, undefined, new AbortController().signal, shutdownMs).catch(
        () => undefined,
      );
      if (!this.#process.hasExited) await this.#notify(ExitNotification.method).catch(() => undefined);
    }
    await this.#process[Symbol.asyncDispose]();
    await this.ended;
  }
}

function memberOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Extracts the version number from texts such as "Debian clangd version 14.0.6 linux+grpc" or "0.3.2526-standalone". */
function versionIn(said: unknown): string | undefined {
  return typeof said === "string" ? /\d+(?:\.\d+)+[\w.+-]*/.exec(said)?.[0] : undefined;
}
