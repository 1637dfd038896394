import type { Proxy } from "../../../conductor/chain/proxy.js";
import { HookedSessions } from "../hooked-session.js";
import { toolHooks } from "../tool-hooks.js";
import { turnHooks } from "../turn-hooks.js";
import { type HooksOptions, openingHooks } from "./session-hooks.js";

export interface ChainHooks {
  /** Raises the events of sessions, prompts and questions. */
  readonly turns: Proxy;
  /** Raises the events of tool calls. */
  readonly tools: Proxy;
}

/** Returns a function that makes the proxies of one chain. */
export function chainHooks(options: HooksOptions): () => ChainHooks {
  const open = openingHooks(options);
  return () => {
    const sessions = new HookedSessions();
    return { turns: turnHooks(sessions, { open }), tools: toolHooks(sessions) };
  };
}
