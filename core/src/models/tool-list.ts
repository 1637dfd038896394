import { fnv1a } from "../base/fnv1a.js";
import { textOf } from "../base/rpc/json.js";
import { type ArgumentSchema, argumentSchema } from "./tool-schema.js";
import type { ToolResult } from "../base/mcp/tool-server.js";

export interface ModelTool {
  /** The tool's name: any text that is unique within a request. */
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON schema of the arguments; clients also omit it, send `null`, or send a schema of another type. */
  readonly inputSchema?: unknown;
}

export interface ListedTool {
  /** The tool's name as sent to the agent. */
  readonly alias: string;
  /** The tool's name as sent by the client. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ArgumentSchema;
}

/** Maximum number of listed tools: model services accept at most 128, and agents add their own tools. */
export const mostListedTools = 100;

/** Names of the tools that find and call the client's tools above {@link mostListedTools}. */
export const furtherTools = { find: "find_tools", call: "call_tool" } as const;

/** Tools of one request: listed ones, and further ones available through a search. */
export interface ToolList {
  readonly listed: readonly ListedTool[];
  readonly further: readonly ListedTool[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Prepares the client's tools for agents. Lists the first ones, since clients order by importance. */
export function toolList(tools: readonly ModelTool[]): ToolList {
  const leftOut: { name: string; reason: string }[] = [];
  const usable = new Map<string, Omit<ListedTool, "alias">>();
  for (const { name, description, inputSchema } of tools) {
    const schema = argumentSchema(inputSchema);
    if (typeof schema === "string") leftOut.push({ name, reason: schema });
    else if (usable.has(name)) leftOut.push({ name, reason: "another tool has the same name." });
    else usable.set(name, { name, description: described(name, description), inputSchema: schema });
  }
  const isMany = usable.size > mostListedTools;
  const names = [...usable.keys()];
  const aliases = toolAliases(names, isMany ? Object.values(furtherTools) : []);
  const all = [...usable.values()].map((tool, index) => ({ ...tool, alias: aliases[index] ?? tool.name }));
  const count = isMany ? mostListedTools - Object.keys(furtherTools).length : all.length;
  return { listed: all.slice(0, count), further: all.slice(count), leftOut };
}

function described(name: string, description: string | undefined): string {
  return description === undefined || description.trim() === "" ? name : description;
}

/**
 * Maximum length of a tool name: model services allow 64 characters, including the agent's prefix, of which `mcp__vscode_tools__` is the
 * longest.
 */
export const longestToolName = 45;

const allowed = /^[A-Za-z0-9_-]+$/;

/**
 * Returns unique names that agents can call, in the order of `names`: letters, digits, `_` and `-`, at most {@link longestToolName}. Valid
 * names don't change; others get a suffix derived from the name, so that they are equal in all sessions. `names` must be unique.
 */
export function toolAliases(names: readonly string[], reserved: readonly string[] = []): readonly string[] {
  const fitting = new Set(names.filter(isFitting));
  const taken = new Set([...reserved, ...fitting]);
  return names.map((name) => {
    if (isFitting(name) && !reserved.includes(name)) return name;
    for (let attempt = 0; ; attempt++) {
      const alias = shortened(name, attempt);
      if (taken.has(alias)) continue;
      taken.add(alias);
      return alias;
    }
  });
}

function isFitting(name: string): boolean {
  return name.length <= longestToolName && allowed.test(name);
}

function shortened(name: string, attempt: number): string {
  const hash = fnv1a(attempt === 0 ? name : `${name} ${attempt}`);
  const end = `_${hash.toString(36).padStart(7, "0").slice(-6)}`;
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, longestToolName - end.length);
  return `${plain}${end}`;
}

/** Maximum number of search results, since their schemas use tokens. */
const mostFound = 10;

/** Returns the `tools/list` entries that replace `count` unlisted tools. */
export function furtherToolEntries(count: number): readonly unknown[] {
  const _meta = { "anthropic/alwaysLoad": true };
  return [
    {
      name: furtherTools.find,
      description:
        `Finds tools among ${count} further ones that are not listed. Returns their names, what they do and the schemas ` +
        `of their arguments. Call one with ${furtherTools.call}.`,
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", description: "Words from the tool's name, or words that describe its purpose." },
        },
        required: ["query"],
      },
      annotations: { readOnlyHint: true },
      _meta,
    },
    {
      name: furtherTools.call,
      description: `Calls a tool that ${furtherTools.find} found.`,
      inputSchema: {
        type: "object",
        properties: {
          name: { type: "string", description: `The tool's name, as ${furtherTools.find} returns it.` },
          arguments: { type: "object", properties: {}, description: "Arguments that fit the tool's schema." },
        },
        required: ["name", "arguments"],
      },
      _meta,
    },
  ];
}

/** Returns the tools whose names and descriptions best match `query`. */
export function findTools(tools: readonly ListedTool[], { query }: Readonly<Record<string, unknown>>): ToolResult {
  const words = wordsOf(textOf(query));
  const ranked = tools
    .map((tool) => ({ tool, rank: rankOf(tool, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, mostFound);
  const found = ranked.map(({ tool: { alias, description, inputSchema } }) => ({
    name: alias,
    description,
    inputSchema,
  }));
  const text =
    found.length > 0 ? JSON.stringify(found) : `Nothing fits. All names: ${tools.map(({ alias }) => alias).join(", ")}`;
  return { content: [{ type: "text", text }] };
}

function wordsOf(text: string): readonly string[] {
  return text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Ranks a tool for a search: a word in its name counts more than a word in its description. An empty query matches all tools. */
function rankOf({ alias, name, description }: ListedTool, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const names = wordsOf(`${name} ${alias}`).join(" ");
  const descriptions = description.toLowerCase();
  return words.reduce((sum, word) => sum + (names.includes(word) ? 3 : 0) + (descriptions.includes(word) ? 1 : 0), 0);
}
