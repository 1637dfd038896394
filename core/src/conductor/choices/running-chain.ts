import { acpMethods } from "../../base/acp/methods.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import type { ChainFailure } from "../chain/failure.js";
import { Json } from "../../base/rpc/json.js";
import { type Notification, type Outcome, Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";
import { AgentOffers } from "./agent-offers.js";
import type { OpenedChain } from "./agent-switch.js";
import type { Choice } from "./choice.js";
import { SessionAliases } from "../../base/acp/session-aliases.js";

/** One of the chains behind the client, with the sessions that are in it. */
export class RunningChain implements AsyncDisposable {
  /** What the client calls them, by the ids that the agent has for them. */
  readonly sessions = new Map<string, string>();
  /** Sessions, by the agent's ids, that the client does not know to be here: they arrive, or were left behind. */
  readonly unclaimed = new Set<string>();
  /** Sessions of sub-agents, which clients open under no other id. */
  readonly children = new Set<string>();
  /** How many of the requests have no answer yet for which it stays. */
  openings = 0;
  /** Why it has ended by itself. */
  failure: ChainFailure | undefined;
  /** Hears of that failure, where other chains go on. */
  onFailure: ((failure: ChainFailure) => void) | undefined;
  /** Whether sessions can be opened in it: from the first one on that it has, where it was started by another one. */
  isReady = false;
  /** Whether its agent hands its sessions over to others. */
  handsOver = false;
  /** Whether it has left the set of chains that run: nothing that it still says concerns anybody. */
  isGone = false;
  readonly #aliases = new SessionAliases();
  readonly #offers = new Map<string, AgentOffers>();
  #aliasCount = 0;
  #isEnding = false;
  #initialized: Json = Json.null;
  #opened: OpenedChain | undefined;

  /** `home` has started it, to hand its sessions over. */
  constructor(
    readonly choice: Choice,
    readonly home?: RunningChain,
  ) {}

  /** Called once, with what was started for it. */
  connect(opened: OpenedChain): void {
    this.#opened = opened;
  }

  /** Whether some of its sessions have other ids for the client. */
  get hasAliases(): boolean {
    return this.#aliasCount > 0;
  }

  get isUsed(): boolean {
    return this.sessions.size > 0 || this.openings > 0;
  }

  /** The answer to `initialize`. */
  get initialized(): Json {
    return this.#initialized;
  }

  /** Whether the agent said in `initialize` that it can do this: a dotted path below `agentCapabilities`. */
  can(path: string): boolean {
    return hasCapability(this.#initialized.object?.["agentCapabilities"], path);
  }

  initialize(params: Json | undefined, reply: Reply): Cancel {
    return this.#fromClient.request(new Request(acpMethods.initialize, params), (outcome) => {
      if (!outcome.isError) this.#initialized = outcome.json;
      reply(outcome);
    });
  }

  /** Sends a request of the client, whose session id may be another here. */
  request(request: Request, reply: Reply): Cancel {
    if (!this.hasAliases) return this.#fromClient.request(request, reply);
    return this.#fromClient.request(this.#aliases.request(request, "toAgent"), (outcome) =>
      reply(this.#aliases.outcome(outcome, "toClient")),
    );
  }

  notify(notification: Notification): void {
    this.#fromClient.notify(this.hasAliases ? this.#aliases.notification(notification, "toAgent") : notification);
  }

  /** Sends a request that opens or deletes a session: the chain stays for it, and the answer has the agent's own id. */
  requestApart(request: Request, reply: (outcome: Outcome) => void): Cancel {
    this.openings++;
    const own = this.hasAliases ? this.#aliases.request(request, "toAgent") : request;
    return this.#fromClient.request(own, (outcome) => {
      this.openings--;
      reply(outcome);
    });
  }

  /** `client` as the chain may call it: with the ids that the client knows. */
  withClientIds(client: Peer): Peer {
    return {
      request: (request, reply) =>
        this.hasAliases
          ? client.request(this.#aliases.request(request, "toClient"), (outcome) =>
              reply(this.#aliases.outcome(outcome, "toAgent")),
            )
          : client.request(request, reply),
      notify: (notification) =>
        client.notify(this.hasAliases ? this.#aliases.notification(notification, "toClient") : notification),
    };
  }

  /** What the agent offers in the session that it knows under this id. */
  offersOf(agentId: string): AgentOffers {
    const offers = this.#offers.get(agentId) ?? new AgentOffers();
    this.#offers.set(agentId, offers);
    return offers;
  }

  /** Adds a session that the client knows as `clientId`. */
  add(clientId: string, agentId: string): void {
    this.sessions.set(agentId, clientId);
    if (agentId === clientId) return;
    this.#aliases.add(clientId, agentId);
    this.#aliasCount++;
  }

  /** The session is over here, or has gone elsewhere. */
  remove(clientId: string, agentId: string): void {
    this.#offers.delete(agentId);
    if (!this.sessions.delete(agentId) || agentId === clientId) return;
    this.#aliases.remove(clientId);
    this.#aliasCount--;
  }

  /** Nobody needs the session any more that the agent knows under this id: what it still says of it is no news. */
  abandon(agentId: string): void {
    this.unclaimed.add(agentId);
    if (this.hasEnded || !this.can("sessionCapabilities.close")) return;
    const request = Request.of(acpMethods.sessionClose, { sessionId: agentId });
    this.#fromClient.request(request, ({ isError }) => {
      if (!isError) this.unclaimed.delete(agentId);
    });
  }

  /** Whether it was ended, or has failed. */
  get hasEnded(): boolean {
    return this.#isEnding || this.failure !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    await this.#opened?.[Symbol.asyncDispose]();
  }

  get #fromClient(): Peer {
    if (!this.#opened) throw new Error("a chain was used before it was started");
    return this.#opened.fromClient;
  }
}
