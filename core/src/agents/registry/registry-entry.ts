import type { AgentDefinition } from "../../settings/agent-definition.js";

/** `built-in`: part of Symposium. `registry`: published by others. `custom`: written by the user. */
export type EntryOrigin = "built-in" | "registry" | "custom";

export interface RegistryEntry extends AgentDefinition {
  readonly origin: EntryOrigin;
  /** Set if the program is on PATH, which is preferred to installing the published package. */
  readonly isOnPath?: true;
  readonly repository?: string;
  readonly website?: string;
  readonly icon?: string;
  readonly license?: string;
  readonly authors?: readonly string[];
  /** Version published for testing; never selected automatically. */
  readonly previewVersion?: string;
}

export type EntryKind = "agent" | "extension";

interface EntrySources {
  readonly custom: readonly RegistryEntry[];
  readonly builtIn: readonly RegistryEntry[];
  readonly published: readonly RegistryEntry[];
}

/**
 * Merges entries by id: custom entries win over published ones, and published ones over built-in ones. Symposium's own parts and programs
 * on PATH can't be overridden by published entries. The order is stable: custom, built-in, then the rest by id.
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

/** Returns the entry of `id` if no published list can override it, so that no list must be fetched. */
export function settledEntry(
  { custom, builtIn }: Omit<EntrySources, "published">,
  id: string,
): RegistryEntry | undefined {
  return [...custom, ...builtIn.filter(isSettled)].find((entry) => entry.id === id);
}

function isSettled({ distribution, isOnPath }: RegistryEntry): boolean {
  return distribution.symposium !== undefined || isOnPath === true;
}

/** Control characters and bidirectional formatting marks. */
const invisible = /[\p{Cc}\u2028-\u202e\u2066-\u2069\s]+/gu;

/** Reduces published text to a single safe line of at most `maxLength` characters. */
export function plainText(text: string, maxLength = 500): string {
  const line = text.replace(invisible, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
