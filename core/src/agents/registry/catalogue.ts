import { asObject } from "../../base/rpc/json.js";
import { fault, type Fault, Place, type Problem, type Severity } from "../../base/problem.js";
import { describeValue } from "../../settings/shape.js";
import { plainText, type EntryKind, type RegistryEntry } from "./registry-entry.js";
import { readPublishedEntry } from "./published-entry.js";

/** Problem in a catalogue entry. An error excludes the entry, a warning excludes only a part. */
interface EntryProblem {
  readonly kind: EntryKind;
  /** Entry id. If the entry has no id, its position in the list, counted from 1, such as `#3`. */
  readonly id: string;
  readonly severity: Severity;
  readonly message: string;
}

export interface Catalogue {
  readonly agents: readonly RegistryEntry[];
  readonly extensions: readonly RegistryEntry[];
  readonly problems: readonly EntryProblem[];
}

export const emptyCatalogue: Catalogue = { agents: [], extensions: [], problems: [] };

/** Maximum number of entries, far above real lists. */
const maxEntries = 10_000;

/**
 * Parses a registry: `{version, agents: [...], extensions?: [...]}`, or only `extensions`. Skips invalid entries; returns a fault only if
 * the value isn't a registry.
 */
export function parseCatalogue(value: unknown): Catalogue | Fault {
  const registry = asObject(value);
  if (!registry) return fault(`A registry must be an object with "agents", got ${describeValue(value)}.`);
  const { agents, extensions } = registry;
  if (!Array.isArray(agents) && !Array.isArray(extensions)) {
    return fault('The registry has neither an "agents" nor an "extensions" list.');
  }
  const problems: EntryProblem[] = [];
  return {
    agents: readEntries(agents, "agent", problems),
    extensions: readEntries(extensions, "extension", problems),
    problems,
  };
}

export function formatEntryProblem({ kind, id, severity, message }: EntryProblem): string {
  return `registry: the ${kind} "${id}" ${severity === "error" ? "is left out" : "is incomplete"}: ${message}`;
}

function readEntries(value: unknown, kind: EntryKind, problems: EntryProblem[]): RegistryEntry[] {
  const entries = new Map<string, RegistryEntry>();
  for (const [index, item] of (Array.isArray(value) ? value : []).slice(0, maxEntries).entries()) {
    const found: Problem[] = [];
    const place = new Place(found);
    const entry = readPublishedEntry(item, place);
    if (entry && entries.has(entry.id)) place.report("It is listed twice; the first entry is used.");
    else if (entry) entries.set(entry.id, entry);
    const given = asObject(item)?.["id"];
    const id = typeof given === "string" ? plainText(given, 60) : `#${index + 1}`;
    for (const { severity, message } of found) problems.push({ kind, id, severity, message: plainText(message) });
  }
  return [...entries.values()];
}
