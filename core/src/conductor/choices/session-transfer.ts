import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import type { Json } from "../../base/rpc/json.js";
import { Outcome } from "../../base/rpc/message.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { AgentSwitch, NextChain, StartedChain } from "./agent-switch.js";
import type { ConnectionChains } from "./connection-chains.js";
import type { CurrentChain } from "./current-chain.js";
import type { OpenSession } from "./open-session.js";
import { RunningChain } from "./running-chain.js";
import { sessionIdOf } from "../../base/acp/session-message.js";

interface HandOverOptions {
  readonly chains: ConnectionChains;
  readonly current: CurrentChain;
  readonly sessionOf: (id: string | undefined) => OpenSession | undefined;
  readonly onMoved: (session: OpenSession) => void;
}

/** Returns the agent switch of `home`. Sessions return to `home` when the chain that took them over fails. */
export function agentSwitchOf(home: RunningChain, options: () => HandOverOptions): AgentSwitch {
  return {
    register: () => (home.handsOver = true),
    start: (next) => startNext(home, next, options()),
  };
}

function startNext(
  home: RunningChain,
  next: NextChain,
  { chains, current, sessionOf, onMoved }: HandOverOptions,
): StartedChain {
  const chain = new RunningChain(home.choice, home);
  const stop = new AbortController();
  chain.onFailure = ({ message }) => {
    current.replace(chain, home);
    for (const id of [...chain.sessions.values()]) {
      const session = sessionOf(id);
      if (session?.comeBack(home) === true) onMoved(session);
    }
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
      const session = sessionOf(home.sessions.get(sessionId));
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
