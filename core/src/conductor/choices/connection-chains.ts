import type { LineChannel } from "../../base/line-channel.js";
import type { Logger } from "../../base/logger.js";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { whenAborted } from "../../base/until-aborted.js";
import type { ChainFailure } from "../chain/failure.js";
import type { Json } from "../../base/rpc/json.js";
import type { Outcome } from "../../base/rpc/message.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { AgentSwitch, ChainHooks, OpenedChain } from "./agent-switch.js";
import { type Choice, isSameChoice } from "./choice.js";
import { RunningChain } from "./running-chain.js";
import { errorText } from "./session-messages.js";

interface ConnectionChainsOptions {
  readonly clientChannel: LineChannel | undefined;
  readonly logger: Logger;
  /** What `chain` calls toward the client. */
  clientOf(chain: RunningChain): Peer;
  /** What the agent of `chain` gets to put another one in its place. */
  agentSwitchOf(chain: RunningChain): AgentSwitch;
  open(choice: Choice, client: Peer, hooks: ChainHooks): Promise<OpenedChain>;
  /** The last chain has failed. */
  onFailure(failure: ChainFailure): void;
}

/** The chains behind one client: one for each configuration that a session uses, and the one for new sessions. */
export class ConnectionChains implements AsyncDisposable {
  readonly #running = new Set<RunningChain>();
  readonly #releases = new Map<RunningChain, () => void>();
  readonly #starts = new Set<Promise<void>>();
  readonly #endings = new Set<Promise<void>>();
  readonly #channel: SharedChannel | undefined;
  /** The one that runs, where it is the only one. */
  #single: RunningChain | undefined;
  #isClosing = false;

  constructor(private readonly options: ConnectionChainsOptions) {
    this.#channel = options.clientChannel && new SharedChannel(options.clientChannel);
  }

  /** The chain that all messages concern; undefined where that has to be found out. */
  get only(): RunningChain | undefined {
    const single = this.#single;
    return single?.hasAliases === false && single.unclaimed.size === 0 ? single : undefined;
  }

  /** The chain whose agent has announced that session of a sub-agent. */
  ofChild(id: string): RunningChain | undefined {
    return [...this.#running].find(({ children }) => children.has(id));
  }

  /** Adds the chain that `open` makes, for the client to initialize. */
  first(choice: Choice, open: (client: Peer, hooks: ChainHooks) => OpenedChain): RunningChain {
    const chain = new RunningChain(choice);
    chain.connect(open(this.options.clientOf(chain), this.#hooks(chain)));
    chain.isReady = true;
    this.#add(chain);
    return chain;
  }

  /**
   * The chain of `choice`, started and initialized with `params` where none runs. Rejects, with nothing left of it,
   * when a component does not start, and when `signal` is aborted.
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

  /** Starts and initializes `chain` with what `open` makes. Rejects as {@link started} does. */
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

  /** Ends the chains that no session uses, apart from `kept`. One that has started another lives as long as that, and back. */
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

  /** Its sessions are lost: what they ask is answered with the failure. The others go on. */
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

  /** Ends a chain; whatever it still says goes nowhere. */
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
      (fault: unknown) => this.options.logger.error("a chain did not end well", { message: messageOf(fault) }),
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

/** Why a chain cannot be used by a client that `first` has answered. */
function problemOf(outcome: Outcome | undefined, first: RunningChain | undefined): string | undefined {
  if (!outcome || outcome.isError) return outcome && errorText(outcome);
  const version = outcome.json.object?.["protocolVersion"];
  const spoken = first?.initialized.object?.["protocolVersion"];
  if (version === spoken) return undefined;
  return `It speaks version ${JSON.stringify(version)} of ACP, and this connection speaks ${JSON.stringify(spoken)}.`;
}

/**
 * The client's channel, shared by chains: it is read while none of them has it paused, and a chain that has ended
 * neither hears of it nor holds it up.
 */
export class SharedChannel {
  readonly #listeners = new Set<() => void>();
  readonly #pausing = new Set<object>();

  constructor(private readonly channel: LineChannel) {
    channel.onCongestion(() => {
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** The channel as one chain sees it, until it is disposed of. */
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
