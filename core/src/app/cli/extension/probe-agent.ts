import { deadlineIn } from "../../../base/until-aborted.js";
import { isDeepStrictEqual } from "node:util";
import { asObject, type Members } from "../../../base/rpc/json.js";
import { acpMethods, acpVersion, isSessionSetup } from "../../../base/acp/methods.js";
import type { Agent, ConnectedAgent } from "../../../conductor/chain/component.js";
import { Notification, Outcome, Request } from "../../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../../base/rpc/peer.js";
import { RpcError } from "../../../base/rpc/rpc-error.js";

/** Methods unknown to every ACP version; the underscore marks extension methods. */
export const probeRequest = "_symposium/check";
export const probeNotification = "_symposium/check_note";
/** Update kind and member unknown to every ACP version. */
export const probeUpdate = "symposium_check_update";
export const probeMember = "symposiumCheck";

/** Payload that must pass through the extension unmodified. */
export const probe = {
  text: 'Zürich "quoted" \\ 🦀\u2028line',
  count: 9_007_199_254_740_991,
  share: 0.5,
  nothing: null,
  nested: { list: [1, null, true, { deep: "" }], empty: {} },
} as const;

/** Lists the dotted paths of members in `expected` that `actual` lacks or changes. Ignores additional members. */
export function lostMembers(expected: unknown, actual: unknown, path = ""): readonly string[] {
  const wanted = asObject(expected);
  if (!wanted || Object.keys(wanted).length === 0) return isDeepStrictEqual(expected, actual) ? [] : [path];
  const given = asObject(actual);
  if (!given) return [path];
  return Object.entries(wanted).flatMap(([key, value]) =>
    lostMembers(value, given[key], path === "" ? key : `${path}.${key}`),
  );
}

export const replyText = "The agent got the prompt.";
/** Prompt that stays unanswered until it is cancelled. */
export const waitText = "Wait until you are cancelled.";

/**
 * Agent behind a checked extension. Accepts any prompt; on a {@link probeRequest}, sends unknown messages to the editor before it answers.
 */
export class ProbeAgent implements Agent {
  readonly name = "check";
  readonly arrivals = new Arrivals();
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
  // With http, a plain MCP client can reach every MCP server of the chain.
  agentCapabilities: {
    loadSession: false,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
  },
  authMethods: [],
  agentInfo: { name: "check", version: "1.0.0" },
};

export interface Arrival {
  readonly method: string;
  readonly params: Members | undefined;
}

/** Messages received at one end of a chain, with a way to wait for more. */
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

  /** Returns the first matching message among those already received and those that arrive within `ms`. Undefined if none matches. */
  async first(isMatch: (arrival: Arrival) => boolean, ms: number): Promise<Arrival | undefined> {
    const present = this.#all.find(isMatch);
    if (present) return present;
    // An extension that died leaves nothing else that keeps the check running.
    using deadline = deadlineIn(ms, true);
    const own = (arrival: Arrival): boolean => isMatch(arrival);
    const arriving = new Promise<Arrival>((resolve) => this.#waiting.set(own, resolve));
    try {
      return await Promise.race([arriving, deadline.passed]);
    } finally {
      this.#waiting.delete(own);
    }
  }
}
