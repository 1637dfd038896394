import { hasCapability } from "../../base/acp/capabilities.js";
import { acpMethods, isSessionSetup } from "../../base/acp/methods.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import { openedSessionId } from "./session-resources.js";

/**
 * Agent as called by the chain. If the agent can't close sessions, handles `session/close` itself: cancels a running turn and rejects
 * prompts until the session is loaded or resumed. Answers a close only after pending openings, because members attach resources with those
 * answers.
 */
export class ClosableAgent implements Peer {
  #canClose = true;
  readonly #turns = new Set<{ readonly session: string | undefined }>();
  readonly #closed = new Set<string>();
  /** Pending requests that open known sessions. */
  readonly #openings = new Map<Request, string>();
  /** Deferred answers to closes, waiting for pending openings. */
  #closes: { readonly session: string; readonly answer: () => void }[] = [];

  constructor(private readonly agent: Peer) {}

  request(request: Request, reply: Reply): Cancel {
    const { method } = request;
    if (method === acpMethods.initialize) return this.#initialize(request, reply);
    if (isSessionSetup(method)) return this.#setUp(request, reply);
    if (method === acpMethods.sessionClose) return this.#close(request, reply);
    if (method === acpMethods.sessionPrompt && !this.#canClose) return this.#prompt(request, reply);
    return this.agent.request(request, reply);
  }

  notify(notification: Notification): void {
    this.agent.notify(notification);
  }

  #initialize(request: Request, reply: Reply): Cancel {
    return this.agent.request(request, (outcome) => {
      const capabilities = outcome.isError ? undefined : outcome.json.object?.["agentCapabilities"];
      if (!outcome.isError) this.#canClose = hasCapability(capabilities, "sessionCapabilities.close");
      reply(outcome);
    });
  }

  #setUp(request: Request, reply: Reply): Cancel {
    const isKnown = request.method === acpMethods.sessionLoad || request.method === acpMethods.sessionResume;
    const session = isKnown ? sessionIdOf(request.params) : undefined;
    if (session !== undefined) this.#openings.set(request, session);
    return this.agent.request(request, (outcome) => {
      this.#closed.delete(openedSessionId(request, outcome) ?? "");
      reply(outcome);
      if (this.#openings.delete(request)) this.#answerCloses();
    });
  }

  #prompt(request: Request, reply: Reply): Cancel {
    const session = sessionIdOf(request.params);
    if (session !== undefined && this.#closed.has(session)) {
      reply(
        Outcome.error(new RpcError(rpcErrorCodes.notFound, `The session ${session} is closed. Load or resume it.`)),
      );
      return nothingToCancel;
    }
    const turn = { session };
    this.#turns.add(turn);
    return this.agent.request(request, (outcome) => {
      this.#turns.delete(turn);
      reply(outcome);
    });
  }

  #close(request: Request, reply: Reply): Cancel {
    const session = sessionIdOf(request.params);
    if (session === undefined) return this.agent.request(request, reply);
    const inOrder: Reply = (outcome) => {
      this.#closes.push({
        session,
        answer: () => {
          if (!this.#canClose) this.#closed.add(session);
          reply(outcome);
        },
      });
      this.#answerCloses();
    };
    if (this.#canClose) return this.agent.request(request, inOrder);
    const isRunning = [...this.#turns].some((turn) => turn.session === session);
    if (isRunning) this.agent.notify(Notification.of(acpMethods.sessionCancel, { sessionId: session }));
    inOrder(Outcome.of({}));
    return nothingToCancel;
  }

  #answerCloses(): void {
    const opening = new Set(this.#openings.values());
    const ready = this.#closes.filter(({ session }) => !opening.has(session));
    this.#closes = this.#closes.filter((close) => !ready.includes(close));
    for (const { answer } of ready) answer();
  }
}
