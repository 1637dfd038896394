import { messageOf } from "../symposium-error.js";
import type { LineHandlers } from "../line-splitter.js";
import { abortOf } from "../until-aborted.js";
import { Frame } from "../rpc/frame.js";
import { memberOf, withMember } from "../rpc/json-edit.js";
import { asObject, Json, stringOf } from "../rpc/json.js";
import { rpcErrorCodes } from "../rpc/rpc-error.js";
import { type McpCallContext, mcpError, type McpOutcome, mcpResult, type McpServer } from "./mcp-server.js";
import { cacheableMethods, handshakeVersions, mcpErrorCodes, mcpMethods, metaKeys, statelessVersion } from "./wire.js";

interface McpIncoming extends McpCall {
  /** Aborted if the transport detects that the caller disconnected. */
  readonly signal: AbortSignal;
  send(line: string): void;
}

interface McpAnswer {
  readonly outcome: McpOutcome;
  readonly httpStatus: number;
}

/**
 * MCP server for one client of any revision. Determines the revision for each message, from `_meta` or an earlier handshake, because a
 * client may try one revision and fall back to another.
 */
export class McpEndpoint implements Disposable {
  readonly #running = new Map<string, AbortController>();
  readonly #audience = new Set<Disposable>();
  /** Name from the client's `initialize`. Clients of the stateless revision send their name with each request. */
  #clientName: string | undefined;

  constructor(readonly server: McpServer) {}

  get announces(): boolean {
    return this.server.subscribe !== undefined;
  }

  /** Sends list changes to a handshake-era client until the result is disposed. Calls `end` when the session ends. */
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

  /** Answers a request. Undefined for notifications and cancelled requests. */
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
      const clientName = isStateless ? nameOf(meta[metaKeys.clientInfo]) : this.#clientName;
      const context = contextOf(message, controller.signal, clientName);
      const answer = isStateless
        ? await this.#stateless(message, meta, context)
        : { outcome: await this.#handshakeEra(message, context), httpStatus: 200 };
      return controller.signal.aborted ? undefined : answer;
    } catch (fault) {
      const text = messageOf(fault);
      return { outcome: mcpError(rpcErrorCodes.internalError, text), httpStatus: 200 };
    } finally {
      this.#running.delete(message.id);
      message.signal.removeEventListener("abort", abort);
    }
  }

  /** Cancels running requests, because the session is over. */
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
        return mcpResult({});
      case mcpMethods.setLevel:
        return this.server.takesLogLevel === true
          ? this.server.call(message.method, message.params, context)
          : mcpResult({});
      case mcpMethods.discover:
        return mcpError(rpcErrorCodes.methodNotFound, `Method not found: ${message.method}`);
      default:
        return forHandshakeEra(await this.server.call(message.method, message.params, context));
    }
  }

  /** Answers unknown versions with the newest handshake version instead of an error, as MCP requires. */
  async #initialize(params: Json | undefined, signal: AbortSignal): Promise<McpOutcome> {
    const { protocolVersion: asked, clientInfo } = params?.object ?? {};
    this.#clientName = nameOf(clientInfo);
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

  /** Sends the kinds of list changes that the caller requested and the server announces, until the caller disconnects. */
  async #listen(message: McpIncoming, signal: AbortSignal): Promise<McpOutcome> {
    const meta = `{"${metaKeys.subscriptionId}":${message.id ?? "null"}}`;
    const asked = asObject(message.params?.object?.["notifications"]) ?? {};
    const honoured = listKinds.filter((kind) => this.announces && asked[`${kind}ListChanged`] === true);
    const kinds = JSON.stringify(Object.fromEntries(honoured.map((kind) => [`${kind}ListChanged`, true])));
    message.send(noticeLine(mcpMethods.acknowledged, `{"_meta":${meta},"notifications":${kinds}}`));
    const methods = new Set(honoured.map((kind) => `notifications/${kind}/list_changed`));
    using _subscription =
      methods.size === 0
        ? undefined
        : this.server.subscribe?.((method) => {
            if (methods.has(method)) message.send(noticeLine(method, `{"_meta":${meta}}`));
          });
    await abortOf(signal);
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

/** Lists whose changes a client of the stateless revision can subscribe to. */
const listKinds = ["tools", "prompts", "resources"] as const;

function noticeLine(method: string, params?: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${params === undefined ? "" : `,"params":${params}`}}`;
}

const uncached = { ttlMs: 0, cacheScope: "private" };

function nameOf(clientInfo: unknown): string | undefined {
  const name = asObject(clientInfo)?.["name"];
  return stringOf(name);
}

function contextOf(message: McpIncoming, signal: AbortSignal, clientName: string | undefined): McpCallContext {
  return {
    signal,
    clientName,
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

/** In handshake revisions, `structuredContent` must be an object, and results can't request input. */
function forHandshakeEra(outcome: McpOutcome): McpOutcome {
  if (outcome.isError) return outcome;
  if (memberOf(outcome.json, "resultType")?.value === "input_required") {
    const text = "The tool asks for further input, which this client's MCP version does not support.";
    return mcpResult({ content: [{ type: "text", text }], isError: true });
  }
  const structured = memberOf(outcome.json, "structuredContent");
  if (!structured || structured.text.trimStart().startsWith("{")) return outcome;
  const { structuredContent: _dropped, ...rest } = outcome.json.object ?? {};
  return mcpResult(rest);
}

export interface McpCall {
  readonly method: string;
  readonly params: Json | undefined;
  /** Id of the request as raw JSON; undefined for notifications. */
  readonly id: string | undefined;
}

/**
 * Parsed client message: a call, an answer (ignored, since clients get no requests), or a fault. A fault includes an error for the sender,
 * so that no sender waits forever.
 */
type McpReceived =
  | { readonly kind: "call"; readonly call: McpCall }
  | { readonly kind: "answer" }
  | { readonly kind: "fault"; readonly id: string; readonly outcome: McpOutcome };

/** Parses and validates a whole line or body, so that servers never get invalid JSON. */
export function readIncoming(text: string): McpReceived {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault("null", rpcErrorCodes.parseError, "the message is not JSON");
  }
  if (Array.isArray(value)) return fault("null", rpcErrorCodes.invalidRequest, "batches are not supported");
  const frame = Frame.scan(text);
  if (!frame) return fault("null", rpcErrorCodes.invalidRequest, "a message must be a JSON object");
  const id = frame.id.isPresent ? frame.id.of(frame.text) : undefined;
  const method = frame.methodName;
  if (method === undefined) {
    const isAnswer = !frame.method.isPresent && (frame.result.isPresent || frame.error.isPresent);
    return isAnswer
      ? { kind: "answer" }
      : fault(id ?? "null", rpcErrorCodes.invalidRequest, "the method isn't a string");
  }
  const params = frame.params.isPresent ? Json.ofText(frame.params.of(frame.text)) : undefined;
  return { kind: "call", call: { method, params, id } };
}

export function answerLine(id: string, outcome: McpOutcome): string {
  return `{"jsonrpc":"2.0","id":${id},"${outcome.isError ? "error" : "result"}":${outcome.json.text}}`;
}

function fault(id: string, code: number, message: string): McpReceived {
  return { kind: "fault", id, outcome: mcpError(code, message) };
}

/** Handles the lines of one stdio client until `signal` aborts. Answers every request and every invalid message through `send`. */
export function lineClient(endpoint: McpEndpoint, signal: AbortSignal, send: (line: string) => void): LineHandlers {
  let announcing: Disposable | undefined;
  signal.addEventListener("abort", () => announcing?.[Symbol.dispose](), { once: true });
  return {
    line(line) {
      const received = readIncoming(line);
      if (received.kind === "fault") send(answerLine(received.id, received.outcome));
      if (received.kind !== "call") return;
      const { call } = received;
      // Announce list changes only after a handshake. Clients of the stateless revision subscribe explicitly.
      if (call.method === mcpMethods.initialized) announcing ??= endpoint.announceTo(send);
      void endpoint.handle({ ...call, signal, send }).then((answer) => {
        if (answer && call.id !== undefined) send(answerLine(call.id, answer.outcome));
      });
    },
    oversize: () => send(answerLine("null", mcpError(rpcErrorCodes.invalidRequest, "the message is too long"))),
  };
}
