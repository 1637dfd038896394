import { asObject } from "../../base/rpc/json.js";

/** The name of the component, of its MCP server and of its entry in config.jsonc. */
export const ideOperationsName = "ide-operations";

/** What a user may set for IDE operations. */
interface IdeOperationsOptions {
  /** The tools to list; undefined means all. */
  readonly tools: ReadonlySet<string> | undefined;
  /** Whether language servers of our own stand in for an editor without IDE operations. */
  readonly usesAdapter: boolean;
}

/** Reads `{tools?, adapter?}`; what has another form counts as absent. The rest is the adapter's to read. */
export function parseIdeOperationsOptions(options: unknown): IdeOperationsOptions {
  const { tools, adapter } = asObject(options) ?? {};
  return {
    tools: Array.isArray(tools) ? new Set(tools.filter((tool) => typeof tool === "string")) : undefined,
    usesAdapter: adapter !== false,
  };
}
