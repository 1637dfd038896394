import { didYouMean } from "../../../base/nearest-word.js";
import { SymposiumError } from "../../../base/symposium-error.js";
import { canonicalAgentId } from "../built-in-agents.js";
import { formatEntryProblem } from "../catalogue.js";
import { mergeEntries, settledEntry, type EntryKind, type RegistryEntry } from "../registry-entry.js";
import { type EntryRequest, readEntryText, readPublishedText, extensionAddress } from "../read-entry.js";
import type { Command } from "../../../base/command.js";
import type { Fault } from "../../../base/problem.js";
import type { CatalogueSource } from "./catalogue-source.js";
import { fetchText } from "../../../settings/node/fetch-text.js";

interface AgentRegistryOptions {
  /** Of an id that several have, the first one's entry counts. */
  readonly sources: readonly Pick<CatalogueSource, "load">[];
  readonly builtIn: Readonly<Record<EntryKind, readonly RegistryEntry[]>>;
  /** What the user wrote. */
  readonly custom: Readonly<Record<EntryKind, readonly RegistryEntry[]>>;
}

interface EntryList {
  readonly entries: readonly RegistryEntry[];
  /** Lines for people: entries that are left out, and lists that could not be fetched. */
  readonly warnings: readonly string[];
}

/** What a request stands for: an entry, or a program that can be started as it is. */
export type FoundEntry =
  | { readonly kind: "entry"; readonly entry: RegistryEntry }
  | { readonly kind: "command"; readonly name: string; readonly command: Command };

/** A description is a few lines; longer ones are not read. */
const maxDescriptionBytes = 1024 * 1024;

/** All agents and extensions that can be chosen. Only reads: nothing is installed or started. */
export class MergedCatalogues {
  constructor(private readonly options: AgentRegistryOptions) {}

  /** Never rejects: lists that cannot be fetched are warnings. */
  async list(kind: EntryKind): Promise<EntryList> {
    const loaded = await Promise.all(this.options.sources.map((source) => source.load()));
    const published = loaded.flatMap(({ catalogue }) =>
      kind === "agent" ? byCanonicalId(catalogue.agents) : catalogue.extensions,
    );
    const problems = loaded.flatMap(({ catalogue }) => catalogue.problems.filter((problem) => problem.kind === kind));
    return {
      entries: mergeEntries({ ...this.#own(kind), published }),
      warnings: [...loaded.flatMap(({ warnings }) => warnings), ...problems.map(formatEntryProblem)],
    };
  }

  /**
   * What an id, an address of a description, or JSON stands for. Rejects with `unknown-agent`, `unknown-proxy` or
   * `invalid-component`. `warn` hears why a list is incomplete.
   */
  async find(kind: EntryKind, text: string, warn: (line: string) => void = () => undefined): Promise<FoundEntry> {
    const request = readEntryText(text);
    switch (request.kind) {
      case "problem":
        throw unreadable(kind, request);
      case "address":
        return { kind: "entry", entry: await describedAt(kind, request.address) };
      case "id":
        return { kind: "entry", entry: await this.#named(kind, request.id, warn) };
      default:
        return request satisfies EntryRequest;
    }
  }

  async #named(kind: EntryKind, id: string, warn: (line: string) => void): Promise<RegistryEntry> {
    const canonical = kind === "agent" ? canonicalAgentId(id) : id;
    const settled = settledEntry(this.#own(kind), id) ?? settledEntry(this.#own(kind), canonical);
    if (settled) return settled;
    const { entries, warnings } = await this.list(kind);
    for (const line of warnings) warn(line);
    const entry = entries.find((one) => one.id === id) ?? entries.find((one) => one.id === canonical);
    if (entry) return entry;
    const known = entries.map((one) => one.id);
    throw new SymposiumError(
      kind === "agent" ? "unknown-agent" : "unknown-proxy",
      `There is no ${kind} "${id}".`,
      `${didYouMean(id, known)}Known: ${known.join(", ")}.`,
    );
  }

  #own(kind: EntryKind): { readonly custom: readonly RegistryEntry[]; readonly builtIn: readonly RegistryEntry[] } {
    return { custom: this.options.custom[kind], builtIn: this.options.builtIn[kind] };
  }
}

/** Agents under the ids of the built-in ones that they are; those that have such an id themselves come first. */
function byCanonicalId(agents: readonly RegistryEntry[]): readonly RegistryEntry[] {
  const renamed = agents.map((agent) => ({ ...agent, id: canonicalAgentId(agent.id) }));
  return [...agents.filter((agent, index) => agent.id === renamed[index]?.id), ...renamed];
}

async function describedAt(kind: EntryKind, address: string): Promise<RegistryEntry> {
  const fetched = await fetchText(extensionAddress(address), { maxBytes: maxDescriptionBytes });
  if (fetched.kind === "problem") throw unreadable(kind, fetched);
  const entry = readPublishedText(fetched.kind === "text" ? fetched.text : "");
  if (!("kind" in entry)) return entry;
  throw unreadable(kind, { ...entry, message: `${address} does not describe an ${kind}: ${entry.message}` });
}

function unreadable(kind: EntryKind, { message, hint }: Fault): SymposiumError {
  return new SymposiumError("invalid-component", `The ${kind} cannot be resolved. ${message}`, hint);
}
