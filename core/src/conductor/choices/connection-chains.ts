import type { LineChannel } from "../../base/line-channel-contract.js";
import type { Logger } from "../../base/logger.js";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { whenAborted } from "../../base/until-aborted.js";
import type { ChainFailure } from "../chain/failure.js";
import type { Json } from "../../base/rpc/json.js";
import type { Outcome } from "../../base/rpc/message.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { AgentSwitch, ChainHooks, OpenedChain } from "./agent-switch.js";
import { type Choice, isSameChoice } from "./chosen-agent-and-proxies.js";
import { RunningChain } from "./running-chain.js";
import { errorText } from "./session-messages.js";

interface ConnectionChainsOptions {
  readonly clientChannel: LineChannel | undefined;
  readonly logger: Logger;
  clientOf(chain: RunningChain): Peer;
  agentSwitchOf(chain: RunningChain): AgentSwitch;
  open(choice: Choice, client: Peer, hooks: ChainHooks): Promise<OpenedChain>;
  /** Called when the last running chain fails. */
  onFailure(failure: ChainFailure): void;
}

/** Owns the chains of one client: one for each configuration in use, including the chain for new sessions. */
export class ConnectionChains implements AsyncDisposable {
  readonly #running = new Set<RunningChain>();
  readonly #releases = new Map<RunningChain, () => void>();
  readonly #starts = new Set<Promise<void>>();
  readonly #endings = new Set<Promise<void>>();
  readonly #channel: SharedChannel | undefined;
  /** The only running chain; undefined if several run. */
  #single: RunningChain | undefined;
  #isClosing = false;

  constructor(private readonly options: ConnectionChainsOptions) {
    this.#channel = options.clientChannel && new SharedChannel(options.clientChannel);
  }

  /** The chain that receives all messages; undefined if several chains run and each message must be routed. */
  get only(): RunningChain | undefined {
    const single = this.#single;
    return single?.hasAliases === false && single.unclaimed.size === 0 ? single : undefined;
  }

  /** Returns the chain whose agent announced this sub-agent session. */
  ofChild(id: string): RunningChain | undefined {
    return [...this.#running].find(({ children }) => children.has(id));
  }

  /** Adds the first chain, which the client itself initializes. */
  first(choice: Choice, open: (client: Peer, hooks: ChainHooks) => OpenedChain): RunningChain {
    const chain = new RunningChain(choice);
    chain.connect(open(this.options.clientOf(chain), this.#hooks(chain)));
    chain.isReady = true;
    this.#add(chain);
    return chain;
  }

  /**
   * Returns a running chain for `choice`, or starts one and initializes it with `params`. Rejects and cleans up if a component fails to
   * start or `signal` is aborted.
   */
  async started(choice: Choice, params: Json | undefined, signal: AbortSignal): Promise<RunningChain> {
    const isWanted = (chain: RunningChain): boolean =>
      chain.isReady && !chain.handsOver && isSameChoice(chain.choice, choice);
    const running = [...this.#running].find(isWanted);
    if (running) return running;
    const chain = new RunningChain(choice);
    await this.start(chain, (client, hooks) => this.options.open(choice, client, hooks), params, signal);
    chain.isReady = true;
    return chain;
  }

  /** Starts and initializes `chain`. Rejects under the same conditions as {@link started}. */
  start(
    chain: RunningChain,
    open: (client: Peer, hooks: ChainHooks) => Promise<OpenedChain>,
    params: Json | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const starting = this.#start(chain, open, params, signal).finally(() => this.#starts.delete(starting));
    this.#starts.add(starting);
    return starting;
  }

  /**
   * Ends the chains that no session uses, except `kept`. A chain and the chain that it started for a hand-over stay as long as either is
   * used.
   */
  endUnused(kept: RunningChain): void {
    const running = [...this.#running];
    const familyOf = (chain: RunningChain): RunningChain => chain.home ?? chain;
    const used = new Set(running.filter((chain) => chain === kept || chain.isUsed).map(familyOf));
    for (const chain of running) if (!used.has(familyOf(chain))) this.end(chain);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    for (const chain of [...this.#running]) this.#dispose(chain);
    await Promise.allSettled(this.#starts);
    await Promise.all(this.#endings);
  }

  async #start(
    chain: RunningChain,
    open: (client: Peer, hooks: ChainHooks) => Promise<OpenedChain>,
    params: Json | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      chain.connect(await open(this.options.clientOf(chain), this.#hooks(chain)));
    } catch (fault) {
      this.#release(chain);
      throw fault;
    }
    this.#add(chain);
    const isUnwanted = (): boolean => signal.aborted || this.#isClosing;
    const outcome = isUnwanted() ? undefined : await initialized(chain, params, signal);
    const problem = isUnwanted() ? "It was stopped." : problemOf(outcome, [...this.#running][0]);
    if (problem === undefined) return;
    this.end(chain);
    throw new SymposiumError("component-start-failed", problem);
  }

  #hooks(chain: RunningChain): ChainHooks {
    const view = this.#channel?.view();
    if (view) this.#releases.set(chain, () => view[Symbol.dispose]());
    return {
      ...(view && { clientChannel: view }),
      onFailure: (failure) => this.#fail(chain, failure),
      reportsFailure: true,
      agentSwitch: this.options.agentSwitchOf(chain),
    };
  }

  /** Marks a chain as failed: all later requests to its sessions get the failure as answer. Other chains continue. */
  #fail(chain: RunningChain, failure: ChainFailure): void {
    chain.failure = failure;
    const isLast = this.#running.size === 1 && this.#running.has(chain);
    if (isLast) {
      this.options.onFailure(failure);
      return;
    }
    this.options.logger.error("a chain failed", { component: failure.component, message: failure.message });
    this.end(chain);
    chain.onFailure?.(failure);
  }

  /** Ends a chain and ignores its further messages. */
  end(chain: RunningChain): void {
    chain.isGone = true;
    this.#dispose(chain);
  }

  #dispose(chain: RunningChain): void {
    if (!this.#running.delete(chain)) return;
    this.#count();
    this.#release(chain);
    const ending = chain[Symbol.asyncDispose]().then(
      () => void this.#endings.delete(ending),
      (fault: unknown) => this.options.logger.error("a chain did not close cleanly", { message: messageOf(fault) }),
    );
    this.#endings.add(ending);
  }

  #add(chain: RunningChain): void {
    this.#running.add(chain);
    this.#count();
  }

  #count(): void {
    const [first] = this.#running;
    this.#single = this.#running.size === 1 ? first : undefined;
  }

  #release(chain: RunningChain): void {
    this.#releases.get(chain)?.();
    this.#releases.delete(chain);
  }
}

function initialized(chain: RunningChain, params: Json | undefined, signal: AbortSignal): Promise<Outcome | undefined> {
  return new Promise((resolve) => {
    whenAborted(signal, () => resolve(undefined));
    chain.initialize(params, resolve);
  });
}

/** Returns the reason why a client can't use another chain after `first` has answered the client's `initialize`. */
function problemOf(outcome: Outcome | undefined, first: RunningChain | undefined): string | undefined {
  if (!outcome || outcome.isError) return outcome && errorText(outcome);
  const version = outcome.json.object?.["protocolVersion"];
  const spoken = first?.initialized.object?.["protocolVersion"];
  if (version === spoken) return undefined;
  return `It uses ACP version ${JSON.stringify(version)}, but this connection uses version ${JSON.stringify(spoken)}.`;
}

/**
 * Shares the client's channel between chains. Reading pauses while any chain pauses it; an ended chain no longer gets events or pauses
 * reading.
 */
export class SharedChannel {
  readonly #listeners = new Set<() => void>();
  readonly #pausing = new Set<object>();

  constructor(private readonly channel: LineChannel) {
    channel.onCongestion(() => {
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** Returns one chain's view of the channel. Disposing the view removes its listeners and its pause. */
  view(): LineChannel & Disposable {
    const { channel } = this;
    const own: (() => void)[] = [];
    let hasEnded = false;
    const view = {
      send: (line: string) => channel.send(line),
      get isCongested(): boolean {
        return channel.isCongested;
      },
      onCongestion: (listener: () => void) => {
        own.push(listener);
        this.#listeners.add(listener);
      },
      pause: () => {
        if (hasEnded) return;
        this.#pausing.add(view);
        channel.pause();
      },
      resume: () => this.#resume(view),
      [Symbol.dispose]: () => {
        hasEnded = true;
        for (const listener of own) this.#listeners.delete(listener);
        this.#resume(view);
      },
    };
    return view;
  }

  #resume(view: object): void {
    if (this.#pausing.delete(view) && this.#pausing.size === 0) this.channel.resume();
  }
}
