import { messageOf, SymposiumError } from "../base/symposium-error.js";
import type { Json } from "../rpc/json.js";
import { Outcome, type Request } from "../rpc/message.js";
import type { Cancel, Peer, Reply } from "../rpc/peer.js";
import { RpcError } from "../rpc/rpc-error.js";
import type { ChainSet } from "./chain-set.js";
import type { CurrentChain } from "./current-chain.js";
import type { OpenSession } from "./open-session.js";
import { type ChainHooks, type OpenedChain, RunningChain } from "./running-chain.js";
import { sessionIdOf } from "./session-ids.js";

/** What an agent of ours gets that lets its user choose another one: it hands its sessions over to that. */
export interface AgentSwitch {
  /** To be called first: from then on each session gets its prompts one at a time, so that none is lost on the way. */
  register(): void;
  /** Starts another chain, once, for all sessions that are to be handed over to it. */
  start(next: NextChain): StartedChain;
}

export interface NextChain {
  /** What has to be done before the chain is started. A rejection keeps it from starting. */
  readonly before: Promise<unknown>;
  open(client: Peer, hooks: ChainHooks): Promise<OpenedChain>;
  /** It has ended by itself, as `text` says: what waited for it has been answered, and the sessions are back. */
  onFailure(text: string): void;
}

export interface StartedChain {
  /** The answer to `initialize`, or the error that kept the chain from getting there. */
  readonly initialized: Promise<Outcome>;
  /** The result of `initialize`; null before. */
  readonly initializeResult: Json;
  /** Sends a request of the agent that started it, after `initialize`. */
  request(request: Request, reply: Reply): Cancel;
  /**
   * Puts a session into it, with the result of the `session/new` that has opened it there. `withPrompt`: its open prompt
   * is for that agent, too, and whatever it is answered with here goes nowhere.
   */
  handOver(sessionId: string, opened: Json, withPrompt: boolean): void;
  /** Ends the chain; nothing of it reaches the client any more. */
  stop(): void;
}

export interface AgentSwitchOptions {
  readonly chains: ChainSet;
  readonly current: CurrentChain;
  /** A session is in another chain now. */
  readonly onMoved: (session: OpenSession) => void;
}

/** The switch of the agent at the end of `home`; its sessions come back there when the other chain fails. */
export function agentSwitchOf(home: RunningChain, options: () => AgentSwitchOptions): AgentSwitch {
  return {
    register: () => (home.handsOver = true),
    start: (next) => startNext(home, next, options()),
  };
}

function startNext(
  home: RunningChain,
  next: NextChain,
  { chains, current, onMoved }: AgentSwitchOptions,
): StartedChain {
  const chain = new RunningChain(home.choice, home);
  const stop = new AbortController();
  chain.onFailure = ({ message }) => {
    current.replace(chain, home);
    for (const session of [...chain.sessions.values()]) if (session.comeBack(home)) onMoved(session);
    next.onFailure(message);
  };
  async function start(): Promise<Outcome> {
    try {
      await next.before;
      if (stop.signal.aborted) throw new SymposiumError("cancelled", "It was stopped.");
      await chains.start(chain, (client, hooks) => next.open(client, hooks), current.initializeParams, stop.signal);
      return Outcome.result(chain.initialized);
    } catch (fault) {
      return Outcome.error(RpcError.internal(messageOf(fault)));
    }
  }
  return {
    initialized: start(),
    get initializeResult(): Json {
      return chain.initialized;
    },
    request: (request, reply) => chain.requestApart(request, reply),
    handOver: (sessionId, opened, withPrompt) => {
      const session = home.sessions.get(sessionId);
      const agentId = sessionIdOf(opened);
      if (!session || agentId === undefined) return;
      chain.offersOf(agentId).open(opened);
      chain.isReady = true;
      current.replace(home, chain);
      session.handOver(chain, agentId);
      onMoved(session);
      if (withPrompt) session.resendPrompt();
    },
    stop: () => {
      stop.abort();
      chains.end(chain);
    },
  };
}
