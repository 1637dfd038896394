import type { Client, McpSubscription, Notification, Progress, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../../base/symposium-error.js";
import {
  type McpCallContext,
  mcpError,
  type McpOutcome,
  type McpServerDescription,
} from "../../../base/mcp/mcp-server.js";
import { mcpMethods, metaKeys } from "../../../base/mcp/wire.js";
import { asObject, Json, type Members } from "../../../base/rpc/json.js";
import { rpcErrorCodes } from "../../../base/rpc/rpc-error.js";
import {
  CallFailure,
  type ConnectionHost,
  type UserServerConnection,
  SignInNeeded,
} from "../user-server-connection.js";
import type * as McpSdk from "./mcp-sdk.js";

export type Sdk = typeof McpSdk;

interface SdkServerOptions {
  readonly sdk: Sdk;
  readonly name: string;
  readonly host: ConnectionHost;
  /** Longest time without progress during a call. Excludes time in which a form is open. */
  readonly callTimeoutMs: number;
  /** Converts an error that isn't the server's response to an error for users. */
  explain(thrown: unknown): Error;
  /** Closes resources that `client` doesn't close itself. */
  close?(): Promise<void>;
}

/** The agent validates the tools' results, so this client doesn't. */
const anyResult: StandardSchemaV1<unknown, Members> = {
  "~standard": { version: 1, vendor: "symposium", validate: (value) => ({ value: asObject(value) ?? {} }) },
};

/** `SilenceClock` limits the time of calls instead. */
const noTimeout = 2_147_483_647;
/** Delay before listening again after a stateless server ended its change stream. Doubles each time, up to a minute. */
const firstRelistenMs = 1_000;

export class SdkServer implements UserServerConnection {
  readonly description: McpServerDescription;
  readonly isStateless: boolean;
  #isDisposed = false;
  #openForms = 0;
  /** Running calls, oldest first. A log message from the server probably belongs to the last one. */
  readonly #running = new Set<McpCallContext>();
  /** Definitions of tools whose calls repeat arguments in http headers (MCP 2026-07-28, `x-mcp-header`). */
  readonly #mirrored = new Map<string, Members>();

  constructor(
    private readonly client: Client,
    private readonly options: SdkServerOptions,
  ) {
    const instructions = client.getInstructions();
    this.isStateless = client.getProtocolEra() === "modern";
    this.description = {
      serverInfo: { ...(client.getServerVersion() ?? { name: options.name, version: "0" }) },
      capabilities: { ...client.getServerCapabilities() },
      ...(instructions !== undefined && { instructions }),
    };
    this.#answerRequests();
    client.fallbackNotificationHandler = (notification) => {
      this.#notified(notification);
      return Promise.resolve();
    };
    client.onclose = () => {
      if (!this.#isDisposed) options.host.ended(options.explain(new Error("its connection was closed.")));
    };
    if (this.isStateless) void this.#listen(firstRelistenMs);
  }

  async call(method: string, params: Members, context: McpCallContext): Promise<McpOutcome> {
    const { meta, progressToken } = splitMeta(params["_meta"]);
    const onprogress = (progress: Progress): void => {
      clock.restart();
      if (progressToken !== undefined) context.notify(mcpMethods.progress, Json.of({ progressToken, ...progress }));
    };
    const clock = new SilenceClock(this.options.callTimeoutMs, () => this.#openForms > 0);
    const signal = AbortSignal.any([context.signal, clock.signal]);
    const options = { signal, timeout: noTimeout, ...(method === mcpMethods.toolsCall && { onprogress }) };
    const { _meta: _given, ...rest } = params;
    this.#running.add(context);
    try {
      const result = await this.#request(method, meta ? { ...rest, _meta: meta } : rest, options);
      if (method === mcpMethods.toolsList) this.#noteMirrored(result["tools"]);
      return { isError: false, json: Json.of(result) };
    } catch (thrown) {
      return this.#failed(thrown, method, { isGivenUp: context.signal.aborted, isSilent: clock.signal.aborted });
    } finally {
      clock.stop();
      this.#running.delete(context);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.options.close?.();
    await this.client.close();
  }

  #request(method: string, params: Members, options: object): Promise<Members> {
    const mirrored = typeof params["name"] === "string" ? this.#mirrored.get(params["name"]) : undefined;
    if (method === mcpMethods.toolsCall && mirrored) {
      const toolDefinition = { ...mirrored, name: String(params["name"]), inputSchema: toSchema(mirrored) };
      const { name, arguments: args, ...rest } = params;
      const given = { ...rest, name: String(name), arguments: { ...asObject(args) } };
      return this.client.callTool(given, { ...options, toolDefinition });
    }
    return this.client.request({ method, params: { ...params } }, anyResult, options);
  }

  #failed(thrown: unknown, method: string, how: { isGivenUp: boolean; isSilent: boolean }): McpOutcome {
    const { sdk, callTimeoutMs, name } = this.options;
    if (how.isGivenUp) return mcpError(rpcErrorCodes.requestCancelled, "Request cancelled");
    if (how.isSilent) {
      throw new CallFailure("silent", `MCP server "${name}" has not answered ${method} for ${callTimeoutMs / 1000} s.`);
    }
    if (thrown instanceof sdk.ProtocolError) return mcpError(thrown.code, thrown.message, thrown.data);
    const isLost = !(thrown instanceof sdk.SdkError) || lostCodes.has(thrown.code);
    const explained = this.options.explain(thrown);
    if (explained instanceof SignInNeeded) throw new CallFailure("sign-in", explained.message, { cause: explained });
    if (!isLost) return mcpError(rpcErrorCodes.internalError, `MCP server "${name}": ${messageOf(thrown)}`);
    // The server forgot the session or nothing listens at the address, so the call had no effect.
    const isUnseen = (thrown instanceof sdk.SdkHttpError && thrown.status === 404) || isRefusedConnection(thrown);
    throw new CallFailure(isUnseen ? "unseen" : "lost", messageOf(explained), { cause: explained });
  }

  #answerRequests(): void {
    const { roots, elicitation } = this.options.host;
    if (roots) {
      this.client.setRequestHandler("roots/list", () => ({
        roots: roots().map((path) => ({ uri: pathToFileURL(path).href, name: path.replace(/^.*[/\\](?=.)/, "") })),
      }));
    }
    if (!elicitation) return;
    this.client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      this.#openForms++;
      try {
        const { action, content } = await elicitation.ask(params, mcpReq.signal);
        if (action !== "accept") return { action: action === "cancel" ? "cancel" : "decline" };
        return { action, ...(asObject(content) && { content: formContent(asObject(content) ?? {}) }) };
      } finally {
        this.#openForms--;
      }
    });
  }

  #notified({ method, params }: Notification): void {
    if (method === "notifications/elicitation/complete") this.options.host.elicitation?.completed(params ?? {});
    else if (method === "notifications/message") {
      Array.from(this.#running)
        .at(-1)
        ?.notify(method, params && Json.of(params));
    } else this.options.host.notified(method, params);
  }

  /** Stateless servers announce changes only on a requested stream, which may end at any time. */
  async #listen(relistenMs: number): Promise<void> {
    const { tools, prompts, resources } = this.client.getServerCapabilities() ?? {};
    const filter = {
      ...(tools?.listChanged === true && { toolsListChanged: true }),
      ...(prompts?.listChanged === true && { promptsListChanged: true }),
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
    };
    if (Object.keys(filter).length === 0 || this.#isDisposed) return;
    let subscription: McpSubscription | undefined;
    try {
      subscription = await this.client.listen(filter);
      if (relistenMs > firstRelistenMs) {
        // Changes during the gap weren't announced.
        for (const list of ["tools", "prompts"])
          this.options.host.notified(`notifications/${list}/list_changed`, undefined);
      }
      await subscription.closed;
    } catch {
      // The retry below handles this like an ended stream.
    }
    const next = Math.min(subscription ? firstRelistenMs * 2 : relistenMs * 2, 60_000);
    setTimeout(() => void this.#listen(next), relistenMs).unref();
  }

  #noteMirrored(tools: unknown): void {
    if (!this.isStateless || !Array.isArray(tools)) return;
    for (const tool of tools as readonly unknown[]) {
      const { name, inputSchema } = asObject(tool) ?? {};
      if (typeof name === "string" && JSON.stringify(inputSchema ?? null).includes('"x-mcp-header"')) {
        this.#mirrored.set(name, { inputSchema });
      }
    }
  }
}

const lostCodes: ReadonlySet<string> = new Set([
  "NOT_CONNECTED",
  "CONNECTION_CLOSED",
  "SEND_FAILED",
  "CLIENT_HTTP_NOT_IMPLEMENTED",
  "CLIENT_HTTP_AUTHENTICATION",
  "CLIENT_HTTP_FORBIDDEN",
  "CLIENT_HTTP_UNEXPECTED_CONTENT",
  "CLIENT_HTTP_FAILED_TO_OPEN_STREAM",
]);

function isRefusedConnection(thrown: unknown): boolean {
  let reason: unknown = thrown;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  return asObject(reason)?.["code"] === "ECONNREFUSED";
}

/** Splits off the agent's progress token, which only Symposium uses. Drops protocol metadata, which the SDK adds for each revision. */
function splitMeta(value: unknown): { meta: Members | undefined; progressToken: unknown } {
  const { progressToken, ...rest } = asObject(value) ?? {};
  const kept = Object.entries(rest).filter(
    ([key]) => !key.startsWith("io.modelcontextprotocol/") || key === metaKeys.logLevel,
  );
  return { meta: kept.length === 0 ? undefined : Object.fromEntries(kept), progressToken };
}

type FormValue = string | number | boolean | string[];

/** Drops form values of types that MCP doesn't allow. */
function formContent(content: Members): Record<string, FormValue> {
  const entries = Object.entries(content).filter((entry): entry is [string, FormValue] => {
    const [, value] = entry;
    if (Array.isArray(value)) return value.every((item) => typeof item === "string");
    return ["string", "number", "boolean"].includes(typeof value);
  });
  return Object.fromEntries(entries);
}

function toSchema({ inputSchema }: Members): { type: "object" } & Record<string, unknown> {
  return { ...asObject(inputSchema), type: "object" };
}

/** Aborts its signal after a time without activity. */
class SilenceClock {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly ms: number,
    private readonly isExcused: () => boolean,
  ) {
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.isExcused()) this.restart();
      else this.#controller.abort();
    }, this.ms);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
