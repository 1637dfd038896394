import { isDeepStrictEqual } from "node:util";
import { asObject, type Members } from "../../../base/rpc/json.js";
import { acpMethods, acpVersion, isSessionSetup } from "../../../base/acp/methods.js";
import type { Agent, ConnectedAgent } from "../../../conductor/chain/component.js";
import { Notification, Outcome, Request } from "../../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../../base/rpc/peer.js";
import { RpcError } from "../../../base/rpc/rpc-error.js";

/** Methods that no version of ACP knows; the underscore makes them somebody's own. */
export const probeRequest = "_symposium/check";
export const probeNotification = "_symposium/check_note";
/** A kind of update, and a member, that no version of ACP knows. */
export const probeUpdate = "symposium_check_update";
export const probeMember = "symposiumCheck";

/** What travels through the extension and has to arrive as it left. */
export const probe = {
  text: 'Zürich "quoted" \\ 🦀\u2028line',
  count: 9_007_199_254_740_991,
  share: 0.5,
  nothing: null,
  nested: { list: [1, null, true, { deep: "" }], empty: {} },
} as const;

/** Where `actual` lacks something of `expected`, as dotted paths; what it has besides does not count. */
export function lostMembers(expected: unknown, actual: unknown, path = ""): readonly string[] {
  const wanted = asObject(expected);
  if (!wanted || Object.keys(wanted).length === 0) return isDeepStrictEqual(expected, actual) ? [] : [path];
  const given = asObject(actual);
  if (!given) return [path];
  return Object.entries(wanted).flatMap(([key, value]) =>
    lostMembers(value, given[key], path === "" ? key : `${path}.${key}`),
  );
}

/** What this agent answers every prompt with. */
export const replyText = "The agent got the prompt.";
/** A prompt with these words stays unanswered until it is cancelled. */
export const waitText = "Wait until you are cancelled.";

/**
 * The agent behind an extension that is checked. It takes whatever an extension may make of a prompt, and answers a
 * {@link probeRequest} after it has sent the editor unknown messages of its own.
 */
export class ProbeAgent implements Agent {
  readonly name = "check";
  readonly arrivals = new Arrivals();
  /** What the editor answered to the agent's own {@link probeRequest}. */
  editorAnswer: Outcome | undefined;
  readonly #waiting = new Map<unknown, Reply>();
  #sessions = 0;

  connect(client: Peer): ConnectedAgent {
    return {
      fromClient: {
        request: (request, reply) => {
          this.arrivals.add({ method: request.method, params: request.params?.object });
          return this.#request(request, reply, client);
        },
        notify: (notification) => {
          this.arrivals.add({ method: notification.method, params: notification.params?.object });
          const sessionId = notification.params?.object?.["sessionId"];
          if (notification.method === acpMethods.sessionCancel) this.#release(sessionId);
        },
      },
    };
  }

  #request({ method, params }: Request, reply: Reply, client: Peer): Cancel {
    const sessionId = params?.object?.["sessionId"];
    if (method === acpMethods.initialize) reply(Outcome.of(initialized));
    else if (isSessionSetup(method)) reply(Outcome.of({ sessionId: `check-${++this.#sessions}` }));
    else if (method === probeRequest) {
      const own = { [probeMember]: probe };
      client.notify(Notification.of(probeNotification, own));
      client.request(Request.of(probeRequest, own), (outcome) => {
        this.editorAnswer = outcome;
        reply(Outcome.of(own));
      });
    } else if (method === acpMethods.sessionPrompt) {
      if (params?.text.includes(waitText) !== true) this.#reply(sessionId, reply, client);
      else {
        this.#waiting.set(sessionId, reply);
        return () => this.#release(sessionId);
      }
    } else reply(Outcome.error(RpcError.methodNotFound(method)));
    return nothingToCancel;
  }

  #reply(sessionId: unknown, reply: Reply, client: Peer): void {
    const unknown = { sessionUpdate: probeUpdate, [probeMember]: probe, _meta: { [probeMember]: probe } };
    const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: replyText } };
    for (const update of [unknown, chunk])
      client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
    reply(Outcome.of({ stopReason: "end_turn", _meta: { [probeMember]: probe } }));
  }

  #release(sessionId: unknown): void {
    const reply = this.#waiting.get(sessionId);
    this.#waiting.delete(sessionId);
    reply?.(Outcome.of({ stopReason: "cancelled" }));
  }
}

const initialized = {
  protocolVersion: acpVersion,
  // With http, every MCP server of the chain is within reach of a plain MCP client.
  agentCapabilities: {
    loadSession: false,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
  },
  authMethods: [],
  agentInfo: { name: "check", version: "1.0.0" },
};

/** One message that arrived. */
export interface Arrival {
  readonly method: string;
  readonly params: Members | undefined;
}

/** What has arrived at one end of a chain, and a way to wait for what has not. */
export class Arrivals {
  readonly #all: Arrival[] = [];
  readonly #waiting = new Map<(arrival: Arrival) => boolean, (arrival: Arrival) => void>();

  add(arrival: Arrival): void {
    this.#all.push(arrival);
    for (const [isMatch, resolve] of this.#waiting) {
      if (!isMatch(arrival)) continue;
      this.#waiting.delete(isMatch);
      resolve(arrival);
    }
  }

  /** The first that matches, of those that are there or come within `ms`; undefined when none does. */
  async first(isMatch: (arrival: Arrival) => boolean, ms: number): Promise<Arrival | undefined> {
    const present = this.#all.find(isMatch);
    if (present) return present;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
    const own = (arrival: Arrival): boolean => isMatch(arrival);
    const arriving = new Promise<Arrival>((resolve) => this.#waiting.set(own, resolve));
    try {
      return await Promise.race([arriving, late]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(own);
    }
  }
}
