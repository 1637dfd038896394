import type { AgentSwitch, ChainHooks, OpenedChain } from "../../conductor/choices/agent-switch.js";
import type { SignIn } from "../../conductor/chain/sign-in.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { LocatedProblem } from "../../base/problem.js";
import type { KnownAgent } from "../known-agents.js";

/** Why there is no agent to talk to yet. */
export type SetupReason =
  | { readonly kind: "absent" }
  | { readonly kind: "broken"; readonly file: string; readonly problems: readonly SetupProblem[] };

/** Something wrong with the configuration file; lines and columns count from 1. */
export type SetupProblem = Pick<LocatedProblem, "line" | "column" | "message" | "hint">;

/** What the setup agent needs of the world around it. */
export interface SetupAgentNeeds {
  /** The product's version, for `agentInfo`. */
  readonly version: string;
  readonly reason: SetupReason;
  /** Names of the extensions that a new configuration enables. */
  readonly extensions: readonly string[];
  /** Puts the chosen agent in its place. */
  readonly agentSwitch: AgentSwitch;
  /** The agents to offer. */
  agents(): Promise<readonly KnownAgent[]>;
  /** Writes the configuration, keeping a broken file beside it, and resolves with its path. */
  save(agent: KnownAgent): Promise<string>;
  /** Reads the configuration again. */
  reload(): Promise<"ok" | SetupReason>;
  /** Makes the chain to `agent`, or without one as the configuration says. */
  open(agent: KnownAgent | undefined, client: Peer, hooks: ChainHooks): Promise<OpenedChain>;
  /** What to type in a terminal to sign in with one of the agent's own terminal methods. */
  terminalCommand(agent: KnownAgent | undefined, method: SignIn): string;
}
