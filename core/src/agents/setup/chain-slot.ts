import { Json } from "../../rpc/json.js";
import type { Peer } from "../../rpc/peer.js";
import type { KnownAgent } from "../known-agents.js";
import { ChosenChain } from "./chosen-chain.js";
import type { OpenedChain } from "./setup-options.js";
import type { SetupSession } from "./setup-session.js";

export interface ChainSlotOptions {
  readonly client: Peer;
  open(client: Peer, agent: KnownAgent | undefined): OpenedChain;
  /** A chain failed by itself; `text` says why. */
  onFailure(chain: ChosenChain, text: string): void;
}

/** Holds the one chain that all sessions share, and gives up a chain that nobody waits for any more. */
export class ChainSlot implements AsyncDisposable {
  /** The parameters of the editor's `initialize`. */
  initialize: Json = Json.of({ protocolVersion: 1, clientCapabilities: {} });
  #current: ChosenChain | undefined;
  #hasTried = false;
  readonly #users = new Set<SetupSession>();
  readonly #closings: Promise<void>[] = [];

  constructor(private readonly options: ChainSlotOptions) {}

  get current(): ChosenChain | undefined {
    return this.#current;
  }

  /** The chain, once the agent has accepted a session. */
  get ready(): ChosenChain | undefined {
    return this.#current?.isReady === true ? this.#current : undefined;
  }

  /** Whether a chain was started already, whatever became of it. */
  get hasTried(): boolean {
    return this.#hasTried;
  }

  /** Starts a chain when `before` has resolved. Only while there is none. */
  open(agent: KnownAgent | undefined, before: Promise<unknown> = Promise.resolve()): ChosenChain {
    this.#hasTried = true;
    const chain: ChosenChain = new ChosenChain({
      agent,
      before,
      open: (client) => this.options.open(client, agent),
      client: this.options.client,
      initialize: this.initialize,
      onFailure: (text) => {
        this.#close(chain);
        this.options.onFailure(chain, text);
      },
    });
    this.#current = chain;
    return chain;
  }

  /** `session` waits for `chain`, or has a session in it. */
  join(chain: ChosenChain, session: SetupSession): void {
    if (chain === this.#current) this.#users.add(session);
  }

  /** `session` no longer wants `chain`. */
  leave(chain: ChosenChain, session: SetupSession): void {
    if (chain !== this.#current) return;
    this.#users.delete(session);
    if (this.#users.size === 0 && !chain.isReady) this.#close(chain);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#current) this.#close(this.#current);
    await Promise.all(this.#closings);
  }

  #close(chain: ChosenChain): void {
    if (chain !== this.#current) return;
    this.#current = undefined;
    this.#users.clear();
    const closing = chain[Symbol.asyncDispose]();
    // Whoever disposes of the slot hears of a failure; until then nobody waits for it.
    closing.catch(() => undefined);
    this.#closings.push(closing);
  }
}
