import type { ModelTool } from "./model-tool.js";
import { type ArgumentSchema, argumentSchema } from "./tool-schema.js";
import { toolAliases } from "./tool-names.js";

/** A tool as agents get it. */
export interface ListedTool {
  /** What the agent calls. */
  readonly alias: string;
  /** What the client calls it. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ArgumentSchema;
}

/** Model services take 128 tools at most, and agents bring theirs. */
export const mostListedTools = 100;

/** The tools by which those beyond {@link mostListedTools} are found and called. */
export const furtherTools = { find: "find_tools", call: "call_tool" } as const;

/** The tools of one request: those that are listed, and the further ones, which are found by a search. */
export interface ToolList {
  readonly listed: readonly ListedTool[];
  readonly further: readonly ListedTool[];
  /** Tools that no agent could be told of, and why. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Prepares the client's tools for agents. The first ones are listed: clients put those first that matter. */
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
