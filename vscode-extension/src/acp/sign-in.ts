import type { Command } from "@symposium-dev/core";
import type { FoldTarget } from "./fold/fold-target.js";
import type { WireObject } from "./wire.js";

/** An agent has refused a session or a prompt until the user signs in. */
export interface SignInRequest extends FoldTarget {
  readonly tabId: string;
  readonly agent: { readonly id: string; readonly name: string };
  /** What the agent said. */
  readonly reason: string;
  /** `authMethods` of `initialize`, as they came. */
  readonly methods: readonly WireObject[];
  /** The agent's command without arguments of a session: a terminal method adds its own `args` and `env`. */
  readonly command: Command;
  /** Sends `authenticate`; rejects when the agent refuses. */
  authenticate(methodId: string): Promise<void>;
  /** Fires when the tab is closed or the agent is gone. */
  readonly signal: AbortSignal;
}

/** Lets the user sign in. */
export interface SignIn {
  /** Resolves with true when the user has signed in, so that the refused request is worth one more try. */
  signIn(request: SignInRequest): Promise<boolean>;
}
