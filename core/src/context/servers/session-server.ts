import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { untilAborted } from "../../base/until-aborted.js";
import {
  type McpCallContext,
  mcpError,
  type McpOutcome,
  mcpResult,
  type McpServer,
  type McpServerDescription,
} from "../../base/mcp/mcp-server.js";
import { mcpMethods, metaKeys } from "../../base/mcp/wire.js";
import { asObject, type Json } from "../../base/rpc/json.js";
import { rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { UserServer } from "../../settings/user-server.js";
import {
  CallFailure,
  type ConnectionHost,
  type UserServerConnection,
  SignInNeeded,
  signInHint,
} from "./user-server-connection.js";
import { readLists, type ServerLists } from "./server-lists.js";
import type { ServerCondition, ServerState, WatchedServer } from "./server-status.js";
import { type ToolFilter, toolFilter } from "./tool-filter.js";

interface SessionServerOptions {
  readonly name: string;
  readonly server: UserServer;
  readonly lists: ServerLists | undefined;
  /** Whether several sessions use this server, because the agent doesn't separate them. */
  readonly isShared?: boolean;
  readonly host: Pick<ConnectionHost, "roots" | "elicitation">;
  connect(host: ConnectionHost, signal: AbortSignal, isStateless: boolean): Promise<UserServerConnection>;
  keep(lists: ServerLists): void;
  stateChanged(): void;
  /** Delays in milliseconds before successive restarts. After the last one, only a call restarts the server. */
  readonly delaysMs?: readonly number[];
}

/** A connection during opening, which may already have ended. */
interface OpenConnection {
  live?: UserServerConnection;
  ended?: Error;
}

const defaultDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
/** Uptime in milliseconds after which a server's restart delays start again from the shortest. */
const soundMs = 60_000;
const listChanged = /^notifications\/(tools|prompts|resources)\/list_changed$/;

/**
 * A user's server in one session. Answers from stored lists before the server is up, and restarts the server. Failures affect only this
 * server's calls, which report the reason and a next step.
 */
export class SessionServer implements McpServer, WatchedServer, AsyncDisposable {
  readonly name: string;
  readonly takesLogLevel = true;
  readonly isShared: boolean;
  readonly #filter: ToolFilter;
  readonly #end = new AbortController();
  readonly #listeners = new Set<(method: string) => void>();
  #lists: ServerLists | undefined;
  #state: ServerState = { kind: "stopped" };
  #live: UserServerConnection | undefined;
  #opening: Promise<void> | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #ending: Promise<void> | undefined;
  #closing: Promise<unknown> = Promise.resolve();
  #failures = 0;
  #upSince = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #logLevel: unknown;

  constructor(private readonly options: SessionServerOptions) {
    this.name = options.name;
    this.isShared = options.isShared === true;
    this.#lists = options.lists;
    this.#filter = toolFilter(options.server);
  }

  get origin(): UserServer["origin"] {
    return this.options.server.origin;
  }

  get type(): UserServer["launch"]["type"] {
    return this.options.server.launch.type;
  }

  get originalName(): string {
    return this.options.server.name;
  }

  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Unfiltered prompts of the server. */
  get prompts(): ServerLists["prompts"] {
    return this.#lists?.prompts ?? [];
  }

  get hasLists(): boolean {
    return this.#lists !== undefined;
  }

  status(): ServerCondition {
    const { tools = [], prompts = [] } = this.#lists ?? {};
    return {
      state: this.#state,
      tools: tools.map((tool) => {
        const name = String(tool["name"]);
        return { name, bytes: JSON.stringify(tool).length, isLeftOut: !this.#filter(name) };
      }),
      prompts: prompts.map((prompt) => String(prompt["name"])),
    };
  }

  /** Connects if necessary. Resolves after success or failure. */
  start(): Promise<void> {
    if (this.#live || this.#end.signal.aborted) return Promise.resolve();
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  restart(): void {
    const live = this.#live;
    this.#live = undefined;
    this.#failures = 0;
    this.#close(live);
    void this.#closing.then(() => this.start());
  }

  async describe(): Promise<McpServerDescription> {
    const {
      serverInfo = { name: this.originalName, version: "0" },
      capabilities = {},
      ...rest
    } = this.#lists?.description ?? {};
    // The lists change when the server comes up, even if the server itself announces no changes.
    const changing = { listChanged: true };
    const { tools: _tools, prompts, resources, logging, completions } = capabilities;
    const isUnknown = this.#lists === undefined;
    return Promise.resolve({
      serverInfo,
      capabilities: {
        tools: changing,
        ...((prompts !== undefined || isUnknown) && { prompts: changing }),
        ...((resources !== undefined || isUnknown) && { resources: changing }),
        ...(logging !== undefined && { logging }),
        ...(completions !== undefined && { completions }),
      },
      ...rest,
    });
  }

  subscribe(listener: (method: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
    const given = params?.object ?? {};
    if (method === mcpMethods.toolsList) return mcpResult({ tools: await this.#tools(context.signal) });
    if (method === "prompts/list") return mcpResult({ prompts: this.prompts });
    if (method === mcpMethods.setLevel) return this.#setLogLevel(given, context);
    if (method === mcpMethods.toolsCall && !this.#filter(String(given["name"]))) {
      return mcpError(
        rpcErrorCodes.invalidParams,
        `MCP server "${this.originalName}" has no tool "${String(given["name"])}".`,
      );
    }
    return this.#callLive(method, this.#withLogLevel(given), context);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#endAll();
    this.#end.abort();
    return this.#ending;
  }

  async #endAll(): Promise<void> {
    clearTimeout(this.#timer);
    const live = this.#live;
    this.#live = undefined;
    this.#close(live);
    this.#set({ kind: "stopped" });
    await this.#opening;
    await this.#closing;
  }

  /** Requests the list each time if the server doesn't announce changes. */
  async #tools(signal: AbortSignal): Promise<ServerLists["tools"]> {
    const live = this.#live;
    if (live && asObject(live.description.capabilities["tools"])?.["listChanged"] !== true) {
      // An aborted caller gets the previous list.
      await untilAborted(this.#refresh(), signal).catch(() => undefined);
    }
    return (this.#lists?.tools ?? []).filter(({ name }) => this.#filter(String(name)));
  }

  async #callLive(
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: McpCallContext,
    isRepeated = false,
  ): Promise<McpOutcome> {
    const live = await this.#awake(context.signal);
    if (context.signal.aborted) return mcpError(rpcErrorCodes.requestCancelled, "Request cancelled");
    if (!live) return this.#unavailable(method);
    try {
      return await live.call(method, params, context);
    } catch (thrown) {
      if (!(thrown instanceof CallFailure)) throw thrown;
      if (thrown.kind === "sign-in") this.#set({ kind: "needs-sign-in" });
      if (thrown.kind === "lost" || thrown.kind === "unseen") this.#lost(live, thrown);
      if (thrown.kind === "unseen" && !isRepeated) {
        await this.start();
        return this.#callLive(method, params, context, true);
      }
      return failed(method, messageOf(thrown));
    }
  }

  /** Returns the connection, starting it if necessary; undefined if it fails or the next automatic restart is pending. */
  async #awake(signal: AbortSignal): Promise<UserServerConnection | undefined> {
    if (this.#live) return this.#live;
    const { kind } = this.#state;
    const isLeftAlone = kind === "needs-sign-in" || (kind === "failed" && this.#timer !== undefined);
    if (this.#opening === undefined && isLeftAlone) return undefined;
    await untilAborted(this.start(), signal).catch(() => undefined);
    return this.#live;
  }

  #unavailable(method: string): McpOutcome {
    const server = `MCP server "${this.originalName}"`;
    const state = this.#state;
    switch (state.kind) {
      case "needs-sign-in":
        return failed(method, `${server} needs a sign-in. ${signInHint(this.originalName)}`);
      case "failed": {
        const { reason, hint, retryAt } = state;
        const seconds = retryAt === undefined ? undefined : Math.max(1, Math.ceil((retryAt - Date.now()) / 1_000));
        const next = seconds === undefined ? "" : ` Symposium tries again in ${seconds} s.`;
        return failed(method, `${reason}${hint === undefined ? "" : ` ${hint}`}${next}`);
      }
      default:
        return failed(method, `${server} has been stopped.`);
    }
  }

  async #open(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#set({ kind: "starting" });
    try {
      const connection: OpenConnection = {};
      const isStateless = this.#lists?.isStateless ?? false;
      const live = await this.options.connect(this.#hostOf(connection), this.#end.signal, isStateless);
      if (this.#end.signal.aborted) {
        this.#close(live);
        return;
      }
      connection.live = live;
      this.#live = live;
      if (connection.ended) {
        this.#lost(live, connection.ended);
        return;
      }
      this.#upSince = Date.now();
      await this.#refresh();
      // The connection may have ended or restarted during the request.
      if (this.#isCurrent(live)) this.#set({ kind: "ready" });
    } catch (thrown) {
      if (!this.#end.signal.aborted) this.#failed(thrown);
    }
  }

  #hostOf(connection: OpenConnection): ConnectionHost {
    return {
      ...this.options.host,
      notified: (method) => {
        const [, list] = listChanged.exec(method) ?? [];
        if (list === "resources") this.#announce(method);
        // Earlier changes are part of the first list.
        else if (list !== undefined && connection.live) void this.#refresh();
      },
      ended: (reason) => {
        if (connection.live) this.#lost(connection.live, reason);
        else connection.ended = reason;
      },
    };
  }

  #isCurrent(live: UserServerConnection): boolean {
    return this.#live === live;
  }

  #lost(live: UserServerConnection, reason: unknown): void {
    if (!this.#isCurrent(live)) return;
    this.#live = undefined;
    this.#close(live);
    if (Date.now() - this.#upSince > soundMs) this.#failures = 0;
    this.#failed(reason instanceof CallFailure ? (reason.cause ?? reason) : reason);
  }

  #failed(thrown: unknown): void {
    if (thrown instanceof SignInNeeded) return this.#set({ kind: "needs-sign-in" });
    const delays = this.options.delaysMs ?? defaultDelaysMs;
    const delayMs = delays[this.#failures++];
    const reason = messageOf(thrown);
    const hint = thrown instanceof SymposiumError ? thrown.hint : undefined;
    if (delayMs !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.start(), delayMs);
      this.#timer.unref?.();
    }
    this.#set({
      kind: "failed",
      reason,
      ...(hint !== undefined && { hint }),
      ...(delayMs !== undefined && { retryAt: Date.now() + delayMs }),
    });
  }

  /** Requests the lists, one request at a time. Callers share a queued request. */
  #refresh(): Promise<void> {
    this.#queued ??= this.#refreshing.then(async () => {
      this.#queued = undefined;
      const live = this.#live;
      if (!live) return;
      try {
        this.#update(await readLists(live, this.#end.signal, this.options.server.startTimeoutMs));
      } catch (thrown) {
        if (thrown instanceof CallFailure && thrown.kind !== "silent") this.#lost(live, thrown);
      }
    });
    this.#refreshing = this.#queued;
    return this.#refreshing;
  }

  #update(lists: ServerLists): void {
    const before = this.#lists;
    if (JSON.stringify(before) === JSON.stringify(lists)) return;
    this.#lists = lists;
    this.options.keep(lists);
    for (const list of ["tools", "prompts"] as const) {
      if (JSON.stringify(before?.[list] ?? []) !== JSON.stringify(lists[list])) {
        this.#announce(`notifications/${list}/list_changed`);
      }
    }
    this.options.stateChanged();
  }

  #announce(method: string): void {
    for (const listener of [...this.#listeners]) listener(method);
  }

  /** Stateful servers get the level in a request, stateless ones in every request's metadata. */
  async #setLogLevel(params: Readonly<Record<string, unknown>>, context: McpCallContext): Promise<McpOutcome> {
    this.#logLevel = params["level"];
    if (!this.#live || this.#live.isStateless || this.#lists?.description.capabilities["logging"] === undefined) {
      return mcpResult({});
    }
    return this.#callLive(mcpMethods.setLevel, params, context);
  }

  #withLogLevel(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if (this.#logLevel === undefined || this.#live?.isStateless !== true) return params;
    return { ...params, _meta: { [metaKeys.logLevel]: this.#logLevel, ...asObject(params["_meta"]) } };
  }

  #set(state: ServerState): void {
    this.#state = state;
    this.options.stateChanged();
  }

  #close(live: UserServerConnection | undefined): void {
    if (!live) return;
    const closed = Promise.resolve(live[Symbol.asyncDispose]()).catch(() => undefined);
    this.#closing = Promise.all([this.#closing, closed]);
  }
}

/** Models read tool results, so a failed tool call returns a result with `isError`. */
function failed(method: string, text: string): McpOutcome {
  if (method === mcpMethods.toolsCall) return mcpResult({ content: [{ type: "text", text }], isError: true });
  return mcpError(rpcErrorCodes.internalError, text);
}
