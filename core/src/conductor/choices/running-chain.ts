import { acpMethods } from "../../base/acp/methods.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import type { ChainFailure } from "../chain/failure.js";
import { Json } from "../../base/rpc/json.js";
import { type Notification, type Outcome, Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";
import { AgentOffers } from "./agent-offers.js";
import type { OpenedChain } from "./agent-switch.js";
import type { Choice } from "./chosen-agent-and-proxies.js";
import { SessionAliases } from "../../base/acp/session-aliases.js";

export class RunningChain implements AsyncDisposable {
  /** Maps the agent's session ids to the client's. */
  readonly sessions = new Map<string, string>();
  /** The agent's ids of sessions that the client doesn't know in this chain, because they are being moved to the chain or have left it. */
  readonly unclaimed = new Set<string>();
  /** Ids of sub-agent sessions. Clients open these sessions only under the agent's id. */
  readonly children = new Set<string>();
  /** Number of unanswered requests that prevent this chain from being ended as unused. */
  openings = 0;
  failure: ChainFailure | undefined;
  /** Called with the chain's failure if other chains continue. */
  onFailure: ((failure: ChainFailure) => void) | undefined;
  /** Whether sessions can be opened in this chain. A chain started for a hand-over becomes ready with its first session. */
  isReady = false;
  handsOver = false;
  /** Whether the chain was removed from the running chains; its further messages are ignored. */
  isGone = false;
  readonly #aliases = new SessionAliases();
  readonly #offers = new Map<string, AgentOffers>();
  #aliasCount = 0;
  #isEnding = false;
  #initialized: Json = Json.null;
  #opened: OpenedChain | undefined;

  /** `home` is the chain that started this chain to hand sessions over. */
  constructor(
    readonly choice: Choice,
    readonly home?: RunningChain,
  ) {}

  connect(opened: OpenedChain): void {
    this.#opened = opened;
  }

  get hasAliases(): boolean {
    return this.#aliasCount > 0;
  }

  get isUsed(): boolean {
    return this.sessions.size > 0 || this.openings > 0;
  }

  get initialized(): Json {
    return this.#initialized;
  }

  /** Whether the agent announced this capability. `path` is a dotted path below `agentCapabilities`. */
  can(path: string): boolean {
    return hasCapability(this.#initialized.object?.["agentCapabilities"], path);
  }

  initialize(params: Json | undefined, reply: Reply): Cancel {
    return this.#fromClient.request(new Request(acpMethods.initialize, params), (outcome) => {
      if (!outcome.isError) this.#initialized = outcome.json;
      reply(outcome);
    });
  }

  /** Sends a client request, with session ids translated for the agent. */
  request(request: Request, reply: Reply): Cancel {
    if (!this.hasAliases) return this.#fromClient.request(request, reply);
    return this.#fromClient.request(this.#aliases.request(request, "toAgent"), (outcome) =>
      reply(this.#aliases.outcome(outcome, "toClient")),
    );
  }

  notify(notification: Notification): void {
    this.#fromClient.notify(this.hasAliases ? this.#aliases.notification(notification, "toAgent") : notification);
  }

  /**
   * Sends a request that opens or deletes a session. The chain isn't ended before the answer, which contains the agent's own session id.
   */
  requestApart(request: Request, reply: (outcome: Outcome) => void): Cancel {
    this.openings++;
    const own = this.hasAliases ? this.#aliases.request(request, "toAgent") : request;
    return this.#fromClient.request(own, (outcome) => {
      this.openings--;
      reply(outcome);
    });
  }

  /** Wraps `client` so that the chain's messages carry the client's session ids. */
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

  offersOf(agentId: string): AgentOffers {
    const offers = this.#offers.get(agentId) ?? new AgentOffers();
    this.#offers.set(agentId, offers);
    return offers;
  }

  add(clientId: string, agentId: string): void {
    this.sessions.set(agentId, clientId);
    if (agentId === clientId) return;
    this.#aliases.add(clientId, agentId);
    this.#aliasCount++;
  }

  remove(clientId: string, agentId: string): void {
    this.#offers.delete(agentId);
    if (!this.sessions.delete(agentId) || agentId === clientId) return;
    this.#aliases.remove(clientId);
    this.#aliasCount--;
  }

  /** Marks a session as no longer needed; the agent's further messages about the session are ignored. */
  abandon(agentId: string): void {
    this.unclaimed.add(agentId);
    if (this.hasEnded || !this.can("sessionCapabilities.close")) return;
    const request = Request.of(acpMethods.sessionClose, { sessionId: agentId });
    this.#fromClient.request(request, ({ isError }) => {
      if (!isError) this.unclaimed.delete(agentId);
    });
  }

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
