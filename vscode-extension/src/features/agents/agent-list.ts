type Entry = Readonly<Record<string, unknown>>;

/** `symposium.agents` with one more agent, in the form that it has; one with the same id is replaced. */
export function withAgent(agents: unknown, entry: Entry & { readonly id: string }): unknown {
  if (Array.isArray(agents)) return [...otherItems(agents, entry.id), entry];
  const { id, ...rest } = entry;
  return { ...asEntries(agents), [id]: rest };
}

/** `symposium.agents` without an agent, in the form that it has; undefined when none is left. */
export function withoutAgent(agents: unknown, id: string): unknown {
  if (Array.isArray(agents)) {
    const items = otherItems(agents, id);
    return items.length === 0 ? undefined : items;
  }
  const entries = Object.entries(asEntries(agents)).filter(([key]) => key !== id);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function otherItems(agents: readonly unknown[], id: string): unknown[] {
  return agents.filter((agent) => asEntries(agent)["id"] !== id);
}

function asEntries(value: unknown): Entry {
  return typeof value === "object" && value !== null ? (value as Entry) : {};
}
