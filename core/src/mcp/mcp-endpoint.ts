import { asObject, Json } from "../rpc/json.js";
import { memberOf, withMember } from "../rpc/json-edit.js";
import { rpcErrorCodes } from "../rpc/rpc-error.js";
import type { McpCall } from "./incoming.js";
import type { McpCallContext, McpOutcome, McpServer } from "./mcp-server.js";
import { mcpError, mcpResult } from "./outcome.js";
import { cacheableMethods, handshakeVersions, mcpErrorCodes, mcpMethods, metaKeys, statelessVersion } from "./wire.js";

/** One message of a client, with what the transport knows of it. */
export interface McpIncoming extends McpCall {
  /** Aborted when the transport knows that the caller has gone. */
  readonly signal: AbortSignal;
  /** Sends one line to the caller of this request. */
  send(line: string): void;
}

/** An answer, and the HTTP status it has in the stateless revision. */
export interface McpAnswer {
  readonly outcome: McpOutcome;
  readonly httpStatus: number;
}

/**
 * One MCP server before one client, whatever revision the client speaks: the revision is decided message by
 * message (`_meta` names it, or the client belongs to the handshake era), because clients probe and fall back.
 */
export class McpEndpoint implements Disposable {
  readonly #running = new Map<string, AbortController>();
  readonly #audience = new Set<Disposable>();

  constructor(readonly server: McpServer) {}

  /** Whether lists of the server can change. */
  get announces(): boolean {
    return this.server.subscribe !== undefined;
  }

  /**
   * Sends a client of the handshake era a line whenever a list of the server has changed, until that is disposed of;
   * `end` is called when the session is over.
   */
  announceTo(send: (line: string) => void, end: () => void = () => undefined): Disposable {
    const subscription = this.server.subscribe?.((method) => send(noticeLine(method)));
    const listening = { [Symbol.dispose]: end };
    this.#audience.add(listening);
    return {
      [Symbol.dispose]: () => {
        this.#audience.delete(listening);
        subscription?.[Symbol.dispose]();
      },
    };
  }

  /** Answers a request. Resolves to undefined for notifications and for requests that were cancelled. */
  async handle(message: McpIncoming): Promise<McpAnswer | undefined> {
    const meta = asObject(message.params?.object?.["_meta"]);
    const isStateless = meta?.[metaKeys.protocolVersion] !== undefined;
    if (message.id === undefined) {
      this.#notified(message);
      return undefined;
    }
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    if (message.signal.aborted) abort();
    message.signal.addEventListener("abort", abort, { once: true });
    this.#running.set(message.id, controller);
    try {
      const context = contextOf(message, controller.signal);
      const answer = isStateless
        ? await this.#stateless(message, meta, context)
        : { outcome: await this.#handshakeEra(message, context), httpStatus: 200 };
      return controller.signal.aborted ? undefined : answer;
    } catch (fault) {
      const text = fault instanceof Error ? fault.message : String(fault);
      return { outcome: mcpError(rpcErrorCodes.internalError, text), httpStatus: 200 };
    } finally {
      this.#running.delete(message.id);
      message.signal.removeEventListener("abort", abort);
    }
  }

  /** Cancels what still runs: the session is over. */
  [Symbol.dispose](): void {
    for (const controller of this.#running.values()) controller.abort();
    for (const listening of [...this.#audience]) listening[Symbol.dispose]();
  }

  #notified(message: McpIncoming): void {
    if (message.method !== mcpMethods.cancelled || !message.params) return;
    const id = memberOf(message.params, "requestId")?.text;
    if (id !== undefined) this.#running.get(id)?.abort();
  }

  async #handshakeEra(message: McpIncoming, context: McpCallContext): Promise<McpOutcome> {
    switch (message.method) {
      case mcpMethods.initialize:
        return this.#initialize(message.params, context.signal);
      case mcpMethods.ping:
      case mcpMethods.setLevel:
        return mcpResult({});
      case mcpMethods.discover:
        return mcpError(rpcErrorCodes.methodNotFound, `Method not found: ${message.method}`);
      default:
        return forHandshakeEra(await this.server.call(message.method, message.params, context));
    }
  }

  /** A version we do not know is answered with the newest of the handshake era, never with an error. */
  async #initialize(params: Json | undefined, signal: AbortSignal): Promise<McpOutcome> {
    const asked = params?.object?.["protocolVersion"];
    const protocolVersion = handshakeVersions.find((version) => version === asked) ?? handshakeVersions[0];
    return mcpResult({ protocolVersion, ...(await this.server.describe(signal)) });
  }

  async #stateless(
    message: McpIncoming,
    meta: Readonly<Record<string, unknown>>,
    context: McpCallContext,
  ): Promise<McpAnswer> {
    const problem = envelopeProblem(meta);
    if (problem) return { outcome: problem, httpStatus: 400 };
    switch (message.method) {
      case mcpMethods.discover:
        return { outcome: await this.#discover(context.signal), httpStatus: 200 };
      case mcpMethods.listen:
        return { outcome: await this.#listen(message, context.signal), httpStatus: 200 };
      case mcpMethods.initialize:
      case mcpMethods.ping:
      case mcpMethods.setLevel:
        return {
          outcome: mcpError(rpcErrorCodes.methodNotFound, `Method not found: ${message.method}`),
          httpStatus: 404,
        };
      default: {
        const outcome = await this.server.call(message.method, message.params, context);
        const isUnknown = outcome.isError && outcome.json.object?.["code"] === rpcErrorCodes.methodNotFound;
        return { outcome: forStateless(message.method, outcome), httpStatus: isUnknown ? 404 : 200 };
      }
    }
  }

  /** A subscription is honoured with the kinds of change that there are, until the caller leaves. */
  async #listen(message: McpIncoming, signal: AbortSignal): Promise<McpOutcome> {
    const meta = `{"${metaKeys.subscriptionId}":${message.id ?? "null"}}`;
    const asked = asObject(message.params?.object?.["notifications"])?.["toolsListChanged"] === true;
    const isHonoured = asked && this.announces;
    const honoured = isHonoured ? '{"toolsListChanged":true}' : "{}";
    message.send(noticeLine(mcpMethods.acknowledged, `{"_meta":${meta},"notifications":${honoured}}`));
    using _subscription = isHonoured
      ? this.server.subscribe?.((method) => message.send(noticeLine(method, `{"_meta":${meta}}`)))
      : undefined;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    return { isError: false, json: Json.ofText(`{"resultType":"complete","_meta":${meta}}`) };
  }

  async #discover(signal: AbortSignal): Promise<McpOutcome> {
    const { serverInfo, ...rest } = await this.server.describe(signal);
    return mcpResult({
      resultType: "complete",
      supportedVersions: [statelessVersion],
      ...rest,
      ...uncached,
      _meta: { [metaKeys.serverInfo]: serverInfo },
    });
  }
}

function noticeLine(method: string, params?: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${params === undefined ? "" : `,"params":${params}`}}`;
}

const uncached = { ttlMs: 0, cacheScope: "private" };

function contextOf(message: McpIncoming, signal: AbortSignal): McpCallContext {
  return {
    signal,
    notify(method, params) {
      if (signal.aborted) return;
      message.send(noticeLine(method, params?.text));
    },
  };
}

function envelopeProblem(meta: Readonly<Record<string, unknown>>): McpOutcome | undefined {
  const requested = meta[metaKeys.protocolVersion];
  if (requested !== statelessVersion) {
    return mcpError(mcpErrorCodes.unsupportedVersion, `Unsupported protocol version: ${String(requested)}`, {
      supported: [statelessVersion],
      requested,
    });
  }
  if (asObject(meta[metaKeys.clientCapabilities])) return undefined;
  return mcpError(rpcErrorCodes.invalidParams, `_meta needs an object "${metaKeys.clientCapabilities}"`, {
    envelope: { missing: [metaKeys.clientCapabilities] },
  });
}

function forStateless(method: string, outcome: McpOutcome): McpOutcome {
  if (outcome.isError) return outcome;
  let json = outcome.json;
  if (!memberOf(json, "resultType")) json = withMember(json, ["resultType"], Json.of("complete"));
  if (cacheableMethods.has(method)) {
    for (const [key, value] of Object.entries(uncached)) {
      if (!memberOf(json, key)) json = withMember(json, [key], Json.of(value));
    }
  }
  return { isError: false, json };
}

/** `structuredContent` had to be an object then, and a request for input had no form of its own. */
function forHandshakeEra(outcome: McpOutcome): McpOutcome {
  if (outcome.isError) return outcome;
  if (memberOf(outcome.json, "resultType")?.value === "input_required") {
    const text = "The tool asks for further input, which this client's MCP revision cannot give.";
    return mcpResult({ content: [{ type: "text", text }], isError: true });
  }
  const structured = memberOf(outcome.json, "structuredContent");
  if (!structured || structured.text.trimStart().startsWith("{")) return outcome;
  const { structuredContent: _dropped, ...rest } = outcome.json.object ?? {};
  return mcpResult(rest);
}
