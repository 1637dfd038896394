/** An agent or a proxy that a user can choose. */
export interface Choosable {
  /** Short and stable, such as `gemini-cli`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** One phrase for people. */
  readonly description: string;
}

/** What there is to choose from; proxies in the order of the chain. */
export interface Offer {
  readonly agents: readonly Choosable[];
  readonly proxies: readonly Choosable[];
}

/** Which of the offered agents answers, and which of the offered proxies stand before it, by id. */
export interface Choice {
  readonly agent: string;
  readonly proxies: ReadonlySet<string>;
}

/** One step from a choice to another. */
export type Change =
  | { readonly kind: "agent"; readonly id: string }
  | { readonly kind: "proxy"; readonly id: string; readonly isOn: boolean };

/** `choice` after `change`. */
export function changed(choice: Choice, change: Change): Choice {
  if (change.kind === "agent") return { ...choice, agent: change.id };
  const others = [...choice.proxies].filter((id) => id !== change.id);
  return { ...choice, proxies: new Set(change.isOn ? [...others, change.id] : others) };
}

export function isSameChoice(one: Choice, other: Choice): boolean {
  if (one.agent !== other.agent || one.proxies.size !== other.proxies.size) return false;
  return [...one.proxies].every((id) => other.proxies.has(id));
}

/** The agent of `choice` for people. */
export function agentNameOf({ agents }: Offer, { agent }: Choice): string {
  return agents.find(({ id }) => id === agent)?.name ?? agent;
}
