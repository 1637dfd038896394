import { acpMethods, isSessionSetup } from "../../acp/methods.js";
import type { Agent, ConnectedAgent } from "../../conductor/agent.js";
import { Notification, Outcome, Request } from "../../rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../rpc/peer.js";
import { RpcError } from "../../rpc/rpc-error.js";
import { Arrivals } from "./arrivals.js";
import { probe, probeMember, probeNotification, probeRequest, probeUpdate } from "./probe.js";

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
          this.arrivals.add(request);
          return this.#request(request, reply, client);
        },
        notify: (notification) => {
          this.arrivals.add(notification);
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
  protocolVersion: 1,
  // With http, every MCP server of the chain is within reach of a plain MCP client.
  agentCapabilities: {
    loadSession: false,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
  },
  authMethods: [],
  agentInfo: { name: "check", version: "1.0.0" },
};
