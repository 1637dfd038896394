import MiniSearch from "minisearch";
import type { McpServer } from "../../base/mcp/mcp-server.js";
import type { ListedTool } from "../../base/mcp/in-process-client.js";
import { asObject } from "../../base/rpc/json.js";

export interface ServerTools {
  readonly server: McpServer;
  readonly instructions: string | undefined;
  readonly tools: readonly ListedTool[];
}

export interface IndexedTool {
  /** Name for models: the tool's name, or `SERVER.NAME` if another server has a tool of that name. */
  readonly label: string;
  readonly server: McpServer;
  readonly tool: ListedTool;
}

/** Finds the tools of a session's servers by name or by words in their descriptions. */
export class ToolIndex {
  readonly tools: readonly IndexedTool[];
  readonly #byLabel = new Map<string, IndexedTool>();
  /** Tools by normalized name, without the separators that agents use; two tools may share one. */
  readonly #bySpelling = new Map<string, Set<IndexedTool>>();
  /** Created on the first search, since most sessions never search. */
  #ranking: MiniSearch<RankedTool> | undefined;

  constructor(readonly servers: readonly ServerTools[]) {
    const owners = new Map<string, number>();
    for (const { tools } of servers) {
      for (const { name } of tools) owners.set(name, (owners.get(name) ?? 0) + 1);
    }
    const qualified = new Set(
      servers.flatMap(({ server, tools }) => tools.map(({ name }) => `${server.name}.${name}`)),
    );
    this.tools = servers.flatMap(({ server, tools }) =>
      tools.map((tool) => ({
        // Prevents a label that could also mean another server's tool.
        label: owners.get(tool.name) === 1 && !qualified.has(tool.name) ? tool.name : `${server.name}.${tool.name}`,
        server,
        tool,
      })),
    );
    for (const one of this.tools) {
      this.#byLabel.set(one.label, one);
      const full = `${one.server.name}.${one.tool.name}`;
      for (const spelling of new Set([one.tool.name, full].map(spellingOf))) {
        this.#bySpelling.set(spelling, (this.#bySpelling.get(spelling) ?? new Set()).add(one));
      }
    }
  }

  /**
   * Returns the tools that match a name, including an agent's spelling such as `mcp__SERVER__NAME` or `SERVER-NAME`. Returns several if
   * servers share the name.
   */
  named(name: string): readonly IndexedTool[] {
    const exact = this.#byLabel.get(name);
    if (exact) return [exact];
    const spelling = spellingOf(name);
    return [...(this.#bySpelling.get(spelling) ?? this.#bySpelling.get(spelling.replace(/^mcp_/, "")) ?? [])];
  }

  /** Returns matching tools, best first: tools that the query names, then tools that match its words. */
  search(query: string): readonly IndexedTool[] {
    const named = query.split(/[\s,;:]+/).flatMap((word) => {
      const exact = this.#byLabel.get(word);
      return exact ? [exact] : [];
    });
    this.#ranking ??= newRanking(this.tools);
    const ranked = this.#ranking.search(query).flatMap(({ id }) => this.tools[Number(id)] ?? []);
    return [...new Set([...named, ...ranked])];
  }
}

interface RankedTool {
  readonly id: number;
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly parameters: string;
}

function newRanking(tools: readonly IndexedTool[]): MiniSearch<RankedTool> {
  const ranking = new MiniSearch<RankedTool>({
    fields: ["name", "server", "description", "parameters"],
    tokenize: wordsOf,
    processTerm: stemOf,
    searchOptions: {
      boost: { name: 4, server: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  ranking.addAll(tools.map(toRanked));
  return ranking;
}

function toRanked({ tool, server }: IndexedTool, id: number): RankedTool {
  return {
    id,
    name: tool.name,
    server: server.name,
    description: tool.description ?? "",
    parameters: Object.keys(asObject(tool.inputSchema["properties"]) ?? {}).join(" "),
  };
}

/** Splits text and names into words, including `camelCase` and `snake_case`. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Reduces an English word to its stem, so that `create` finds `creates`, `created` and `creating`. */
function stemOf(word: string): string {
  const term = word.toLowerCase();
  if (term.length < 4) return term;
  return term
    .replace(/(?:ies|y)$/, "i")
    .replace(/(?:ing|ed|es|s)$/, "")
    .replace(/e$/, "");
}

function spellingOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "");
}
