import { Conductor, type ConductorOptions } from "../conductor/conductor.js";
import { type AgentComponent, nameOf, type ProxyComponent } from "../conductor/component.js";
import { withOwnSignIn, withTerminalAuth } from "../conductor/sign-in-command.js";
import type { Peer } from "../rpc/peer.js";
import { type Environment, selfCommand } from "./environment.js";

/** A chain to be opened. */
export interface ChainPlan {
  readonly proxies: readonly ProxyComponent[];
  /** Absent in proxy mode. */
  readonly agent?: AgentComponent;
  /** The words after `sign-in METHOD` that lead to the same agent again; absent for agents whose methods are already ours. */
  readonly signInWords?: readonly string[];
}

/** Makes the conductor of a chain; its processes start when the editor says `initialize`. */
export function openChain(
  plan: ChainPlan,
  environment: Environment,
  client: Peer,
  hooks: Pick<ConductorOptions, "clientChannel" | "onFailure" | "onWrappedCancel"> = {},
): Conductor {
  const { proxies, agent, signInWords } = plan;
  environment.announce(["Client", ...proxies.map(nameOf), "Agent"]);
  return new Conductor({
    proxies,
    ...(agent && { agent }),
    client,
    environment: environment.chain,
    startupTimeoutMs: environment.settings.startupTimeoutMs,
    ...(agent && {
      editInitialized: (outcome) => {
        const own = signInWords ? withOwnSignIn(outcome, (id) => ["sign-in", id, ...signInWords]) : outcome;
        return withTerminalAuth(own, selfCommand());
      },
    }),
    ...hooks,
  });
}
