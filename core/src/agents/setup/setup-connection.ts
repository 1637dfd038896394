import { acpMethods } from "../../acp/methods.js";
import { messageOf } from "../../base/symposium-error.js";
import type { ConnectedAgent } from "../../conductor/agent.js";
import { Json } from "../../rpc/json.js";
import { type Notification, Outcome, type Request } from "../../rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../rpc/rpc-error.js";
import { ChainSlot } from "./chain-slot.js";
import type { ChosenChain } from "./chosen-chain.js";
import { sessionIdIn } from "./session-aliases.js";
import { SetupDialogue } from "./setup-dialogue.js";
import type { SetupOptions } from "./setup-options.js";
import { SetupSession } from "./setup-session.js";
import { agentEnded, startAgain } from "./setup-text.js";

/** Id of the authentication method that the setup agent offers. */
export const setupMethodId = "symposium-setup";

/** The setup agent in one chain: answers by itself until an agent is chosen, then stands aside. */
export class SetupConnection implements ConnectedAgent {
  readonly fromClient: Peer;
  readonly #slot: ChainSlot;
  readonly #dialogue: SetupDialogue;
  readonly #sessions = new Map<string, SetupSession>();
  #lastEnding: string | undefined;

  constructor(
    private readonly client: Peer,
    private readonly options: SetupOptions,
  ) {
    this.#slot = new ChainSlot({
      client,
      open: (toClient, agent) => options.open(toClient, agent),
      onFailure: (chain, text) => this.#takeBack(chain, text),
    });
    this.#dialogue = new SetupDialogue(options, this.#slot, client);
    this.fromClient = {
      request: (request, reply) => this.#request(request, reply),
      notify: (notification) => this.#notify(notification),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions.values()) session.close();
    await this.#slot[Symbol.asyncDispose]();
  }

  #request(request: Request, reply: Reply): Cancel {
    const { ready } = this.#slot;
    switch (request.method) {
      case acpMethods.initialize:
        return this.#initialize(request, reply);
      case acpMethods.authenticate:
        return this.#authenticate(request, reply, ready);
      case acpMethods.sessionNew:
        return ready ? ready.relay(request, reply) : this.#open(request, reply);
    }
    const session = this.#waitingSession(request.params);
    if (session) return this.#requestInSession(session, request, reply);
    if (!ready) return refuse(reply, this.#notHere(request));
    if (request.method !== acpMethods.sessionClose) return ready.relay(request, reply);
    return ready.closeSession(request, (outcome) => {
      if (!outcome.isError) this.#sessions.delete(sessionIdIn(request.params) ?? "");
      reply(outcome);
    });
  }

  #notify(notification: Notification): void {
    const session = this.#waitingSession(notification.params);
    if (!session) this.#slot.ready?.relayNotification(notification);
    else if (notification.method === acpMethods.sessionCancel) session.cancel();
  }

  #initialize(request: Request, reply: Reply): Cancel {
    this.#slot.initialize = request.params ?? this.#slot.initialize;
    reply(Outcome.of(initializeResult(this.options.version)));
    return nothingToCancel;
  }

  #authenticate(request: Request, reply: Reply, ready: ChosenChain | undefined): Cancel {
    const methodId = request.params?.object?.["methodId"];
    if (methodId !== setupMethodId) {
      if (ready) return ready.relay(request, reply);
      return refuse(
        reply,
        RpcError.invalidParams(`methodId must be "${setupMethodId}", got ${JSON.stringify(methodId)}`),
      );
    }
    if (ready) {
      reply(Outcome.of({}));
      return nothingToCancel;
    }
    void this.#isConfigured().then(reply);
    return nothingToCancel;
  }

  async #isConfigured(): Promise<Outcome> {
    try {
      if ((await this.options.reload()) === "ok") return Outcome.of({});
    } catch (thrown) {
      return Outcome.error(RpcError.internal(messageOf(thrown)));
    }
    const text =
      "Symposium is not set up yet. Run `symposium-acp-agent setup` in a terminal, or open a session and type the number of an agent in the chat.";
    return Outcome.error(new RpcError(rpcErrorCodes.authRequired, text));
  }

  #open(request: Request, reply: Reply): Cancel {
    const id = `setup-${crypto.randomUUID()}`;
    const session = new SetupSession(id, request.params ?? Json.of({}), this.client, this.#dialogue.answer);
    this.#sessions.set(id, session);
    reply(Outcome.of({ sessionId: id }));
    // After the answer: clients drop updates for sessions they do not know yet.
    queueMicrotask(() => void this.#dialogue.greet(session));
    return nothingToCancel;
  }

  /** A session of ours that no agent has taken over. */
  #waitingSession(params: Json | undefined): SetupSession | undefined {
    if (this.#sessions.size === 0) return undefined;
    const session = this.#sessions.get(sessionIdIn(params) ?? "");
    return session?.chain ? undefined : session;
  }

  #requestInSession(session: SetupSession, request: Request, reply: Reply): Cancel {
    switch (request.method) {
      case acpMethods.sessionPrompt:
        return session.prompt(request, reply);
      case acpMethods.sessionClose: {
        this.#sessions.delete(session.id);
        session.close();
        const { current } = this.#slot;
        if (current) this.#slot.leave(current, session);
        reply(Outcome.of({}));
        return nothingToCancel;
      }
      default:
        return refuse(reply, RpcError.methodNotFound(request.method));
    }
  }

  /** The answer to what only an agent could answer. */
  #notHere(request: Request): RpcError {
    const sessionId = sessionIdIn(request.params);
    if (sessionId === undefined || this.#lastEnding === undefined) {
      return sessionId === undefined || !isSessionWork(request.method)
        ? RpcError.methodNotFound(request.method)
        : new RpcError(rpcErrorCodes.notFound, `Session not found: ${sessionId}`, { sessionId });
    }
    return RpcError.internal(`${this.#lastEnding} Open a new session.`, { sessionId });
  }

  #takeBack(chain: ChosenChain, text: string): void {
    this.#lastEnding = agentEnded(chain.name, text);
    for (const session of this.#sessions.values()) {
      if (session.chain === chain || session.signIn?.chain === chain)
        session.takeBack(`${this.#lastEnding}\n\n${startAgain}`);
    }
  }
}

function isSessionWork(method: string): boolean {
  return method === acpMethods.sessionPrompt || method === acpMethods.sessionClose;
}

function refuse(reply: Reply, error: RpcError): Cancel {
  reply(Outcome.error(error));
  return nothingToCancel;
}

function initializeResult(version: string): unknown {
  return {
    protocolVersion: 1,
    agentInfo: { name: "symposium", title: "Symposium", version },
    agentCapabilities: {
      loadSession: false,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { close: {} },
    },
    authMethods: [
      {
        id: setupMethodId,
        name: "Set up Symposium",
        description: "Choose the agent that Symposium runs",
        type: "terminal",
        args: ["setup"],
      },
    ],
  };
}
