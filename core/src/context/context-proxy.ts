import { EarlyUpdates } from "../base/acp/early-updates.js";
import { acpMethods, sessionHandlers } from "../base/acp/methods.js";
import { sessionIdOf, updateKindOf } from "../base/acp/session-message.js";
import { parseInitialized } from "../conductor/client/initialized-agent.js";
import { rowOf } from "../agents/agent-quirks.js";
import { heldMethods, QueuedMessages } from "../conductor/chain/queued-messages.js";
import { subagentOwner } from "../conductor/chain/in-process-proxy.js";
import type { Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../conductor/chain/proxy.js";
import { openedSessionId } from "../conductor/chain/session-resources.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../base/rpc/json-edit.js";
import { asObject, Json } from "../base/rpc/json.js";
import { type Notification, Outcome, Request } from "../base/rpc/message.js";
import type { Cancel, Reply } from "../base/rpc/peer.js";
import { RpcError } from "../base/rpc/rpc-error.js";
import {
  fitInstructions,
  type InstructionPlace,
  instructionLimit,
  instructionPlaceOf,
  instructionText,
  sessionInstructionLimit,
  withSystemPrompt,
} from "./instructions.js";
import { contextMark, withoutMarked } from "../base/acp/marked-text.js";
import { type ContextSources, type KnownEnds, OpenedContext } from "./opened-context.js";
import { SessionContext } from "./session-context.js";

interface ContextProxyOptions extends ContextSources {
  /** Maximum number of bytes of instructions that a session gets at once. */
  readonly maxInstructionBytes?: number;
}

/**
 * Adds the MCP servers, instructions and slash commands of all sources to sessions. Must be the last proxy before the agent. A request that
 * opens a session waits until all sources have opened. Sessions without additions, and sessions that proxies open for their own use, stay
 * unmodified.
 */
export function contextProxy(options: ContextProxyOptions): Proxy {
  return { name: "context", connect: (chain) => new ContextConnection(chain, options).handlers };
}

class ContextConnection {
  readonly handlers: ProxyHandlers;
  /** Contexts of the sessions to which the proxy added something, by session id. */
  readonly #sessions = new Map<string, SessionContext>();
  readonly #opened = new Set<OpenedContext>();
  readonly #held = new QueuedMessages();
  /** Command announcements for sessions that the client doesn't know yet. The client would drop such announcements. */
  readonly #early = new EarlyUpdates<Notification>();
  #ends: KnownEnds = { agent: parseInitialized({}), row: undefined, clientCapabilities: {} };
  #place: InstructionPlace = "prompt";
  /** The session whose opening request is being forwarded. Meanwhile the successor asks for the session's MCP servers. */
  #forwarding: OpenedContext | undefined;

  constructor(
    private readonly chain: ProxyChain,
    private readonly options: ContextProxyOptions,
  ) {
    const inTurn: RequestHandler = (request, reply) =>
      this.#held.request(request, reply, () => chain.successor.request(request, reply));
    const prompt: RequestHandler = (request, reply) =>
      this.#held.request(request, reply, () => this.#prompt(request, reply));
    this.handlers = {
      clientRequests: {
        [acpMethods.initialize]: (request, reply) => this.#initialize(request, reply),
        ...sessionHandlers<RequestHandler>((request, reply) => this.#setUp(request, reply)),
        [acpMethods.sessionPrompt]: prompt,
        ...Object.fromEntries(heldMethods.map((method) => [method, inTurn])),
      },
      agentRequests: {
        [acpMethods.requestPermission]: (request, reply) =>
          this.#sessionOf(request)?.permission(request, reply) ?? chain.client.request(request, reply),
      },
      clientNotifications: { [acpMethods.sessionCancel]: (notification) => this.#cancel(notification) },
      agentNotifications: { [acpMethods.sessionUpdate]: (notification) => this.#update(notification) },
      mcpServers: (session) => {
        const opened = this.#forwarding;
        if (!opened) return [];
        session.signal.addEventListener("abort", () => this.#forget(opened), { once: true });
        return opened.servers;
      },
      [Symbol.asyncDispose]: () => {
        for (const opened of [...this.#opened]) this.#forget(opened);
        return Promise.resolve();
      },
    };
  }

  #initialize(request: Request, reply: Reply): Cancel {
    const clientCapabilities = asObject(request.params?.object?.["clientCapabilities"]) ?? {};
    const cancel = this.chain.successor.request(request, (outcome) => {
      const result = outcome.isError ? undefined : outcome.json.object;
      if (result) {
        const agent = parseInitialized(result);
        this.#ends = { agent, row: rowOf(agent), clientCapabilities };
        this.#place = instructionPlaceOf(agent);
      }
      reply(outcome);
    });
    for (const source of this.options.sources) source.prepare?.();
    return cancel;
  }

  #setUp(request: Request, reply: Reply): Cancel {
    const params = request.params?.object;
    const { client, logger, successor } = this.chain;
    if (typeof params?.["cwd"] !== "string" || subagentOwner(request) !== undefined) {
      return this.#held.request(request, reply, () => successor.request(request, reply));
    }
    const opened = new OpenedContext(params, this.#ends, client, logger, request.method === acpMethods.sessionNew);
    const place = this.#held.add(sessionIdOf(request.params));
    this.#opened.add(opened);
    this.#early.await();
    let sent: Cancel | undefined;
    const giveUp = (): void => {
      if (!place.leave()) return;
      reply(Outcome.error(RpcError.cancelled()));
      this.#passEarly();
    };
    opened.signal.addEventListener("abort", giveUp, { once: true });
    void opened.open(this.options).then(() => place.ready(() => (sent = this.#open(opened, request, reply))));
    return () => {
      if (sent) sent();
      else this.#forget(opened);
    };
  }

  #open(opened: OpenedContext, request: Request, reply: Reply): Cancel {
    const isReopened = request.method === acpMethods.sessionLoad || request.method === acpMethods.sessionResume;
    const text = instructionText(
      fitInstructions(opened.instructions, this.options.maxInstructionBytes ?? sessionInstructionLimit),
    );
    const place = text === undefined ? "prompt" : this.#place;
    const edited = withParams(request, (params) => {
      const own = withoutServers(params, opened.replaced);
      return place === "prompt" || text === undefined ? own : withSystemPrompt(own, text, place);
    });
    const parent = request.method === acpMethods.sessionFork ? this.#sessionOf(request) : undefined;
    const session = opened.isEmpty
      ? undefined
      : new SessionContext({
          opened,
          successor: this.chain.successor,
          firstPromptText: place === "prompt" ? text : undefined,
          isTextKnown: text !== undefined && parent?.hasBrought(text) === true,
          instructionLimit: this.#instructionLimit,
        });
    const before = isReopened ? this.#sessionOf(request) : undefined;
    // Agents replay a session's history before they answer, so a reopened session is registered first.
    if (isReopened) this.#register(sessionIdOf(request.params), opened, session);
    this.#forwarding = opened;
    try {
      return this.chain.successor.request(edited, (outcome) => {
        const id = openedSessionId(request, outcome);
        if (id === undefined) {
          this.#forget(opened);
          // The existing session continues, since its replacement failed to open.
          if (before?.isOpen === true) this.#sessions.set(sessionIdOf(request.params) ?? "", before);
        } else {
          this.#register(id, opened, session);
          session?.start(this.#early.take(id).at(-1));
        }
        reply(outcome);
        this.#passEarly();
        if (id !== undefined) opened.begin();
      });
    } finally {
      this.#forwarding = undefined;
    }
  }

  #register(id: string | undefined, opened: OpenedContext, session: SessionContext | undefined): void {
    opened.sessionId = id;
    if (id === undefined) return;
    if (session) this.#sessions.set(id, session);
    else this.#sessions.delete(id);
  }

  /** Forgets a session that has ended, failed to open or is being set up again. */
  #forget(opened: OpenedContext): void {
    this.#opened.delete(opened);
    const { sessionId } = opened;
    if (sessionId !== undefined && this.#sessions.get(sessionId)?.isOf(opened) === true) {
      this.#sessions.delete(sessionId);
    }
    opened.end();
  }

  #prompt(request: Request, reply: Reply): Cancel {
    const session = this.#sessionOf(request);
    return session ? session.turn(request, reply) : this.chain.successor.request(request, reply);
  }

  #cancel(notification: Notification): Notification | undefined {
    const isHeld = this.#held.notify(notification, () => {
      const passed = this.#cancel(notification);
      if (passed) this.chain.successor.notify(passed);
    });
    return isHeld || this.#sessionOf(notification)?.cancel() === true ? undefined : notification;
  }

  #update(notification: Notification): Notification | undefined {
    const kind = updateKindOf(notification);
    const own = kind === "user_message_chunk" ? withoutMarked(notification, contextMark) : notification;
    if (own !== notification) this.#sessionOf(notification)?.noteReplay(notification);
    else if (kind === "available_commands_update" && this.#isEarly(notification)) return undefined;
    return own && (this.#sessionOf(own)?.update(own) ?? own);
  }

  /** Stores an announcement if the request that opens its session may still be unanswered. Returns whether it did. */
  #isEarly(notification: Notification): boolean {
    if (this.#early.isIdle) return false;
    const id = sessionIdOf(notification.params);
    return ![...this.#opened].some(({ sessionId }) => sessionId === id) && this.#early.keeps(id, notification);
  }

  #passEarly(): void {
    for (const { update } of this.#early.answered()) this.chain.client.notify(update);
  }

  /** Finds the context of a message's session. Reads only the session id, and only if some session got additions. */
  #sessionOf({ params }: Request | Notification): SessionContext | undefined {
    return this.#sessions.size === 0 ? undefined : this.#sessions.get(sessionIdOf(params) ?? "");
  }

  get #instructionLimit(): number {
    return this.options.maxInstructionBytes ?? instructionLimit;
  }
}

/** Returns the request with its parameters changed by `edit`, or `request` itself if `edit` changes nothing. */
function withParams(request: Request, edit: (params: Json) => Json): Request {
  const { params, method } = request;
  const edited = params && edit(params);
  return edited === params ? request : new Request(method, edited);
}

function withoutServers(params: Json, names: ReadonlySet<string>): Json {
  const entries = names.size === 0 ? undefined : elementsOf(memberOf(params, "mcpServers") ?? Json.null);
  if (!entries) return params;
  const left = entries.filter((entry) => !names.has(String(entry.object?.["name"])));
  return withMember(params, ["mcpServers"], arrayOf(left));
}
