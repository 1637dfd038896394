import { sessionIdOf } from "../../base/acp/session-message.js";
import { acpMethods, acpVersion } from "../../base/acp/methods.js";
import { messageOf } from "../../base/symposium-error.js";
import type { Agent, ConnectedAgent } from "../../conductor/chain/component.js";
import { Json } from "../../base/rpc/json.js";
import { type Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import { AgentPlace, type ChosenAgent } from "./chosen-agent.js";
import { SetupDialogue } from "./setup-dialogue.js";
import type { SetupAgentNeeds } from "./setup-agent-needs.js";
import { AgentlessSession } from "./agentless-session.js";
import { agentEnded, startAgain } from "./setup-text.js";

/**
 * Final component of a chain without a usable configuration. Lets the user choose an agent in the chat, saves the choice, and continues the
 * same session with that agent.
 */
export class SetupAgent implements Agent {
  readonly name = "setup";

  constructor(private readonly options: SetupAgentNeeds) {}

  connect(client: Peer): ConnectedAgent {
    return new SetupConnection(client, this.options);
  }
}

const setupMethodId = "symposium-setup";

class SetupConnection implements ConnectedAgent {
  readonly fromClient: Peer;
  readonly #place: AgentPlace;
  readonly #dialogue: SetupDialogue;
  readonly #sessions = new Map<string, AgentlessSession>();
  #lastEnding: string | undefined;

  constructor(
    private readonly client: Peer,
    private readonly options: SetupAgentNeeds,
  ) {
    this.#place = new AgentPlace(options, (chosen, text) => this.#onFailure(chosen, text));
    this.#dialogue = new SetupDialogue(options, this.#place);
    options.agentSwitch.register();
    this.fromClient = {
      request: (request, reply) => this.#request(request, reply),
      notify: (notification) => this.#notify(notification),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions.values()) session.close();
    return Promise.resolve();
  }

  #request(request: Request, reply: Reply): Cancel {
    switch (request.method) {
      case acpMethods.initialize:
        return answer(reply, Outcome.of(initializeResult(this.options.version)));
      case acpMethods.authenticate:
        return this.#authenticate(request, reply);
      case acpMethods.sessionNew:
        return this.#open(request, reply);
    }
    const session = this.#sessionOf(request.params);
    return session
      ? this.#requestInSession(session, request, reply)
      : answer(reply, Outcome.error(this.#notHere(request)));
  }

  #notify({ method, params }: Notification): void {
    if (method === acpMethods.sessionCancel) this.#sessionOf(params)?.cancel();
  }

  #authenticate(request: Request, reply: Reply): Cancel {
    const methodId = request.params?.object?.["methodId"];
    if (methodId !== setupMethodId) {
      const text = `methodId must be "${setupMethodId}", got ${JSON.stringify(methodId)}`;
      return answer(reply, Outcome.error(RpcError.invalidParams(text)));
    }
    if (this.#place.current?.isReady === true) return answer(reply, Outcome.of({}));
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
    const session = new AgentlessSession(id, request.params ?? Json.of({}), this.client, this.#dialogue.answer);
    this.#sessions.set(id, session);
    reply(Outcome.of({ sessionId: id }));
    // Send the welcome after the reply, since clients drop updates for unknown sessions.
    queueMicrotask(() => void this.#dialogue.welcome(session));
    return nothingToCancel;
  }

  #sessionOf(params: Json | undefined): AgentlessSession | undefined {
    return this.#sessions.get(sessionIdOf(params) ?? "");
  }

  #requestInSession(session: AgentlessSession, request: Request, reply: Reply): Cancel {
    switch (request.method) {
      case acpMethods.sessionPrompt:
        return session.prompt(request, reply);
      case acpMethods.sessionClose: {
        this.#sessions.delete(session.id);
        session.close();
        const { current } = this.#place;
        if (current) this.#place.leave(current, session);
        return answer(reply, Outcome.of({}));
      }
      default:
        return answer(reply, Outcome.error(RpcError.methodNotFound(request.method)));
    }
  }

  #notHere(request: Request): RpcError {
    const sessionId = sessionIdOf(request.params);
    if (sessionId === undefined || this.#lastEnding === undefined) {
      return sessionId === undefined || !isSessionWork(request.method)
        ? RpcError.methodNotFound(request.method)
        : new RpcError(rpcErrorCodes.notFound, `Session not found: ${sessionId}`, { sessionId });
    }
    return RpcError.internal(`${this.#lastEnding} Open a new session.`, { sessionId });
  }

  #onFailure(chosen: ChosenAgent, text: string): void {
    const ending = agentEnded(chosen.name, text);
    this.#lastEnding = ending;
    for (const session of this.#sessions.values()) {
      if (session.isWith(chosen)) session.comeBack(`${ending}\n\n${startAgain}`);
    }
  }
}

function isSessionWork(method: string): boolean {
  return method === acpMethods.sessionPrompt || method === acpMethods.sessionClose;
}

function answer(reply: Reply, outcome: Outcome): Cancel {
  reply(outcome);
  return nothingToCancel;
}

function initializeResult(version: string): unknown {
  return {
    protocolVersion: acpVersion,
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
