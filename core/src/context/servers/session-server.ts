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
  /** The name under which the agent gets it. */
  readonly name: string;
  readonly server: UserServer;
  /** What it listed last time. */
  readonly lists: ServerLists | undefined;
  /** Whether it is that of several sessions, of an agent that does not keep them apart. */
  readonly isShared?: boolean;
  /** What a server may ask of the session. */
  readonly host: Pick<ConnectionHost, "roots" | "elicitation">;
  connect(host: ConnectionHost, signal: AbortSignal, isStateless: boolean): Promise<UserServerConnection>;
  /** What it lists is another thing than before. */
  keep(lists: ServerLists): void;
  stateChanged(): void;
  /** How long a server that ended is left alone, one time after the other; then only a call starts it again. */
  readonly delaysMs?: readonly number[];
}

/** A connection that is being opened, and may end at once. */
interface OpenConnection {
  live?: UserServerConnection;
  ended?: Error;
}

const defaultDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
/** A server that has been up for so long counts as sound, and is soon back when it ends. */
const soundMs = 60_000;
const listChanged = /^notifications\/(tools|prompts|resources)\/list_changed$/;

/**
 * A user's server in one session: it answers from the lists of last time before the server is up, and keeps it up. A server
 * that dies, hangs or cannot be reached fails its own calls alone, each with the reason and what the user can do.
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

  /** Aborted when it is disposed of. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Prompts as the server lists them. */
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

  /** Connects, unless it is connected already; resolves when that has come to an end, well or not. */
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
    // Whatever the server says of its lists, ours change when it comes up.
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

  /** Resolves with its program gone, however often it is called. */
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

  /** A server that does not announce its changes is asked each time. */
  async #tools(signal: AbortSignal): Promise<ServerLists["tools"]> {
    const live = this.#live;
    if (live && asObject(live.description.capabilities["tools"])?.["listChanged"] !== true) {
      // Who does not wait gets the list of before, and hears of the change.
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

  /** The connection, once it is up; undefined where nobody may wait for it. */
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
        const next = seconds === undefined ? "" : ` It is tried again in ${seconds} s.`;
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
      // It may have ended, or have been restarted, while it was asked.
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
        // What changes before the lists are read for the first time is in them.
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

  /** Asks for the lists, one time after the other: who asks for it while one waits its turn gets that one. */
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

  /** The level is a request in the older era, and part of each request in the stateless one. */
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

/** Models read the results of their tools; other calls have errors. */
function failed(method: string, text: string): McpOutcome {
  if (method === mcpMethods.toolsCall) return mcpResult({ content: [{ type: "text", text }], isError: true });
  return mcpError(rpcErrorCodes.internalError, text);
}
