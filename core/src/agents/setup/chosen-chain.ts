import { acpMethods } from "../../acp/methods.js";
import { messageOf } from "../../base/symposium-error.js";
import { asObject, Json } from "../../rpc/json.js";
import { withMember } from "../../rpc/json-edit.js";
import { type Notification, Outcome, Request } from "../../rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../rpc/rpc-error.js";
import type { KnownAgent } from "../known-agents.js";
import { SessionAliases, sessionIdIn } from "./session-aliases.js";
import type { OpenedChain } from "./setup-options.js";
import { parseSignIns, type SignIn } from "./sign-in.js";

export interface ChosenChainOptions {
  /** Undefined for the agent that the configuration names. */
  readonly agent: KnownAgent | undefined;
  /** What has to be done before the chain is started. A rejection keeps it from starting. */
  readonly before: Promise<unknown>;
  open(client: Peer): OpenedChain;
  /** The editor's side. */
  readonly client: Peer;
  /** The parameters of the editor's own `initialize`. */
  readonly initialize: Json;
  /** The chain failed, with a text for people; everything that waited for it has been answered. */
  onFailure(text: string): void;
}

/**
 * The chain to the agent that was chosen: started and initialized once, for all sessions. Whatever waits for it
 * when it ends is answered, and nothing of it reaches the editor afterwards.
 */
export class ChosenChain implements AsyncDisposable {
  readonly agent: KnownAgent | undefined;
  /** The answer to `initialize`, or the error that kept the chain from getting there. */
  readonly initialized: Promise<Outcome>;
  readonly aliases = new SessionAliases();
  /** Set once a session is open in it: from then on the editor talks to the agent directly. */
  isReady = false;
  readonly #options: ChosenChainOptions;
  readonly #pending = new Set<Reply>();
  #opened: OpenedChain | undefined;
  #initializeResult: Json = Json.null;
  #ending: Outcome | undefined;

  constructor(options: ChosenChainOptions) {
    this.#options = options;
    this.agent = options.agent;
    this.initialized = this.#start();
  }

  /** The agent's name for people. */
  get name(): string {
    if (this.agent) return this.agent.name;
    const info = asObject(this.#initializeResult.object?.["agentInfo"]);
    const name = info?.["title"] ?? info?.["name"];
    return typeof name === "string" && name !== "" ? name : "the configured agent";
  }

  get signIns(): readonly SignIn[] {
    return parseSignIns(this.#initializeResult);
  }

  /** Sends `request` as it is. The answer comes in any case, also when the chain ends. */
  request(request: Request, reply: Reply): Cancel {
    const opened = this.#opened;
    if (this.#ending || !opened) {
      reply(this.#ending ?? Outcome.error(RpcError.internal("The agent has not been started yet.")));
      return nothingToCancel;
    }
    const tracked: Reply = (outcome) => {
      if (this.#pending.delete(tracked)) reply(outcome);
    };
    this.#pending.add(tracked);
    return opened.fromClient.request(request, tracked);
  }

  /** Sends a message of the editor, with the session's id as the agent knows it. */
  relay(request: Request, reply: Reply): Cancel {
    return this.request(this.aliases.request(request, "toAgent"), (outcome) => {
      reply(this.aliases.outcome(outcome, "toClient"));
    });
  }

  relayNotification(notification: Notification): void {
    if (!this.#ending) this.#opened?.fromClient.notify(this.aliases.notification(notification, "toAgent"));
  }

  /** Ends the session, whose id is the editor's. An agent that cannot close sessions just stops working on it. */
  closeSession(request: Request, reply: Reply): Cancel {
    const sessionId = sessionIdIn(request.params) ?? "";
    return this.relay(request, (outcome) => {
      const isUnknown = outcome.isError && outcome.json.object?.["code"] === rpcErrorCodes.methodNotFound;
      if (!outcome.isError || isUnknown) this.aliases.remove(sessionId);
      reply(isUnknown ? Outcome.of({}) : outcome);
    });
  }

  /** Ends the chain, and resolves with its processes gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end("The agent was stopped.");
    await this.#opened?.[Symbol.asyncDispose]();
  }

  async #start(): Promise<Outcome> {
    try {
      await this.#options.before;
      if (this.#ending) return this.#ending;
      const opened = this.#options.open(this.#client(this.#options.client));
      this.#opened = opened;
      void opened.failed.then((text) => {
        if (this.#end(text)) this.#options.onFailure(text);
      });
    } catch (thrown) {
      return Outcome.error(RpcError.internal(messageOf(thrown)));
    }
    // The editor was told version 1, whatever it asked for.
    const params = withMember(this.#options.initialize, ["protocolVersion"], Json.of(1));
    const outcome = await new Promise<Outcome>((resolve) => {
      this.request(new Request(acpMethods.initialize, params), resolve);
    });
    if (outcome.isError) return outcome;
    this.#initializeResult = outcome.json;
    const version = outcome.json.object?.["protocolVersion"];
    if (version === 1) return outcome;
    return Outcome.error(RpcError.internal(`It speaks version ${JSON.stringify(version)} of ACP, and only 1 will do.`));
  }

  /** Where the chain's messages to the editor go. */
  #client(client: Peer): Peer {
    return {
      request: (request, reply) => {
        if (this.#ending) {
          reply(Outcome.error(RpcError.cancelled()));
          return nothingToCancel;
        }
        return client.request(this.aliases.request(request, "toClient"), (outcome) => {
          reply(this.aliases.outcome(outcome, "toAgent"));
        });
      },
      notify: (notification) => {
        if (!this.#ending) client.notify(this.aliases.notification(notification, "toClient"));
      },
    };
  }

  #end(text: string): boolean {
    if (this.#ending) return false;
    this.#ending = Outcome.error(RpcError.internal(text));
    for (const reply of [...this.#pending]) reply(this.#ending);
    return true;
  }
}

/** Whether `outcome` says that the user has to sign in first. */
export function needsSignIn(outcome: Outcome): boolean {
  return outcome.isError && outcome.json.object?.["code"] === rpcErrorCodes.authRequired;
}
