import type { AgentDefinition } from "../../settings/agent-definition.js";

/** `built-in`: ships with the product. `registry`: published by others. `custom`: written by the user. */
export type EntryOrigin = "built-in" | "registry" | "custom";

/** An agent or extension that can be chosen. */
export interface RegistryEntry extends AgentDefinition {
  readonly origin: EntryOrigin;
  /** Its program is on PATH, which is preferred to installing what is published. */
  readonly isOnPath?: true;
  /** https addresses. */
  readonly repository?: string;
  readonly website?: string;
  readonly icon?: string;
  readonly license?: string;
  readonly authors?: readonly string[];
  /** The version that its publisher offers for trying out; never chosen by itself. */
  readonly previewVersion?: string;
}

/** The two kinds of entries: agents, and the proxies that extend them. */
export type EntryKind = "agent" | "extension";

/** Entries by where they come from. */
interface EntrySources {
  /** In the user's order. */
  readonly custom: readonly RegistryEntry[];
  /** In the order in which they are offered. */
  readonly builtIn: readonly RegistryEntry[];
  readonly published: readonly RegistryEntry[];
}

/**
 * All entries, each id once: what the user wrote wins over what is published, and that over what is built in; only
 * the name of a part of this product cannot be published, and a program that is on PATH stays. First the user's, then the built-in ids, then all others by
 * id: the same entries always have the same order.
 */
export function mergeEntries({ custom, builtIn, published }: EntrySources): readonly RegistryEntry[] {
  const others = [...published].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const order = [...custom, ...builtIn, ...others].map(({ id }) => id);
  const strongest = new Map<string, RegistryEntry>();
  for (const entry of [...custom, ...builtIn.filter(isSettled), ...published, ...builtIn]) {
    if (!strongest.has(entry.id)) strongest.set(entry.id, entry);
  }
  return [...new Set(order)].flatMap((id) => strongest.get(id) ?? []);
}

/** The entry of `id` that no published list can change, so that none needs to be fetched for it. */
export function settledEntry(
  { custom, builtIn }: Omit<EntrySources, "published">,
  id: string,
): RegistryEntry | undefined {
  return [...custom, ...builtIn.filter(isSettled)].find((entry) => entry.id === id);
}

function isSettled({ distribution, isOnPath }: RegistryEntry): boolean {
  return distribution.symposium !== undefined || isOnPath === true;
}

/** Controls, and the marks that turn the direction of writing around. */
const invisible = /[\p{Cc}\u2028-\u202e\u2066-\u2069\s]+/gu;

/** A published text as one line that a terminal or editor shows as it is, `maxLength` characters at most. */
export function plainText(text: string, maxLength = 500): string {
  const line = text.replace(invisible, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
