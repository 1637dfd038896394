export interface Choosable {
  /** Short stable id, such as `gemini-cli`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** Agents and proxies that the user can choose from. Proxies are listed in chain order. */
export interface Offer {
  readonly agents: readonly Choosable[];
  readonly proxies: readonly Choosable[];
}

/** Ids of the chosen agent and of the active proxies. */
export interface Choice {
  readonly agent: string;
  readonly proxies: ReadonlySet<string>;
}

export type Change =
  | { readonly kind: "agent"; readonly id: string }
  | { readonly kind: "proxy"; readonly id: string; readonly isOn: boolean };

export function changed(choice: Choice, change: Change): Choice {
  if (change.kind === "agent") return { ...choice, agent: change.id };
  const others = [...choice.proxies].filter((id) => id !== change.id);
  return { ...choice, proxies: new Set(change.isOn ? [...others, change.id] : others) };
}

export function isSameChoice(one: Choice, other: Choice): boolean {
  if (one.agent !== other.agent || one.proxies.size !== other.proxies.size) return false;
  return [...one.proxies].every((id) => other.proxies.has(id));
}

/** Returns the display name of the chosen agent, or its id if `offer` doesn't list the agent. */
export function agentNameOf({ agents }: Offer, { agent }: Choice): string {
  return agents.find(({ id }) => id === agent)?.name ?? agent;
}
