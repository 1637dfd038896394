import type { AgentSwitch, ChainHooks, OpenedChain } from "../../conductor/choices/agent-switch.js";
import type { SignIn } from "../../conductor/chain/sign-in.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { LocatedProblem } from "../../base/problem.js";
import type { KnownAgent } from "../known-agents.js";

export type SetupReason =
  | { readonly kind: "absent" }
  | { readonly kind: "broken"; readonly file: string; readonly problems: readonly SetupProblem[] };

/** Problem in the configuration file. `line` and `column` are 1-based. */
export type SetupProblem = Pick<LocatedProblem, "line" | "column" | "message" | "hint">;

export interface SetupAgentNeeds {
  readonly version: string;
  readonly reason: SetupReason;
  readonly extensions: readonly string[];
  readonly agentSwitch: AgentSwitch;
  agents(): Promise<readonly KnownAgent[]>;
  /** Writes a configuration with the agent and returns the file's path. A broken configuration file is saved next to the new file. */
  save(agent: KnownAgent): Promise<string>;
  reload(): Promise<"ok" | SetupReason>;
  open(agent: KnownAgent | undefined, client: Peer, hooks: ChainHooks): Promise<OpenedChain>;
  terminalCommand(agent: KnownAgent | undefined, method: SignIn): string;
}
