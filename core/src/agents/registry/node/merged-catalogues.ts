import { didYouMean } from "../../../base/nearest-word.js";
import { assertNoFault, SymposiumError } from "../../../base/symposium-error.js";
import { canonicalAgentId } from "../built-in-agents.js";
import { formatEntryProblem } from "../catalogue.js";
import { mergeEntries, settledEntry, type EntryKind, type RegistryEntry } from "../registry-entry.js";
import { type EntryRequest, readEntryText, readPublishedText, extensionAddress } from "../read-entry.js";
import type { Command } from "../../../base/command.js";
import type { Fault } from "../../../base/problem.js";
import type { CatalogueSource } from "./catalogue-source.js";
import { registryFault } from "../../../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../../../settings/managed-policy/node/system-policy.js";
import { fetchText } from "../../../settings/node/fetch-text.js";

interface AgentRegistryOptions {
  /** Catalogues sorted by precedence: for duplicate ids, the first source wins. */
  readonly sources: readonly Pick<CatalogueSource, "load">[];
  readonly builtIn: Readonly<Record<EntryKind, readonly RegistryEntry[]>>;
  readonly custom: Readonly<Record<EntryKind, readonly RegistryEntry[]>>;
}

interface EntryList {
  readonly entries: readonly RegistryEntry[];
  readonly warnings: readonly string[];
}

export type FoundEntry =
  | { readonly kind: "entry"; readonly entry: RegistryEntry }
  | { readonly kind: "command"; readonly name: string; readonly command: Command };

const maxDescriptionBytes = 1024 * 1024;

/** Available agents and extensions. Read-only: installs and starts nothing. */
export class MergedCatalogues {
  constructor(private readonly options: AgentRegistryOptions) {}

  /** Lists the entries of a kind. Never rejects: unavailable lists become warnings. */
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
   * Resolves an id, a description's URL, or JSON. Rejects with `unknown-agent`, `unknown-proxy` or `invalid-component`, and with
   * `forbidden-by-policy` for a description from elsewhere than the organisation allows; `warn` receives the
   * reasons for an incomplete list.
   */
  async find(kind: EntryKind, text: string, warn: (line: string) => void = () => undefined): Promise<FoundEntry> {
    const request = readEntryText(text);
    switch (request.kind) {
      case "problem":
        throw unreadable(kind, request);
      case "address":
        assertNoFault("forbidden-by-policy", registryFault(await systemPolicy(), request.address));
        return { kind: "entry", entry: await describedAt(kind, request.address) };
      case "id":
        return { kind: "entry", entry: await this.#named(kind, request.id, warn) };
      default:
        assertNoFault("forbidden-by-policy", registryFault(await systemPolicy(), ""));
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

/** Renames aliased agents to their built-in ids. Agents published under the built-in id come first. */
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
