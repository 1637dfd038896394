import type { ToolResult } from "../mcp/tool-server.js";
import { furtherTools, type ListedTool } from "./tool-list.js";

/** How many tools one search tells of: their schemas are what costs. */
const mostFound = 10;

/** The two tools that stand for those that are not listed, as `tools/list` tells them. */
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
        properties: { query: { type: "string", description: "Words of what the tool should do, or of its name." } },
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
          name: { type: "string", description: `The tool's name, as ${furtherTools.find} tells it.` },
          arguments: { type: "object", properties: {}, description: "Arguments that fit the tool's schema." },
        },
        required: ["name", "arguments"],
      },
      _meta,
    },
  ];
}

/** The tools that fit `query` best, by the words that their names and descriptions have of it. */
export function findTools(tools: readonly ListedTool[], { query }: Readonly<Record<string, unknown>>): ToolResult {
  const words = wordsOf(typeof query === "string" ? query : "");
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

/** A word of the name counts more than one of the description; an empty search finds everything. */
function rankOf({ alias, name, description }: ListedTool, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const names = wordsOf(`${name} ${alias}`).join(" ");
  const descriptions = description.toLowerCase();
  return words.reduce((sum, word) => sum + (names.includes(word) ? 3 : 0) + (descriptions.includes(word) ? 1 : 0), 0);
}
