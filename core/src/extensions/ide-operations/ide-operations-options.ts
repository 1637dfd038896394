import { asObject } from "../../base/rpc/json.js";

/** Name of the component, its MCP server and its entry in config.jsonc. */
export const ideOperationsName = "ide-operations";

interface IdeOperationsOptions {
  /** Tools to list; undefined means all. */
  readonly tools: ReadonlySet<string> | undefined;
  /** Whether Symposium's language servers replace missing IDE operations of an editor. */
  readonly usesAdapter: boolean;
}

/** Parses `{tools?, adapter?}` and ignores invalid members. The adapter parses the other members. */
export function parseIdeOperationsOptions(options: unknown): IdeOperationsOptions {
  const { tools, adapter } = asObject(options) ?? {};
  return {
    tools: Array.isArray(tools) ? new Set(tools.filter((tool) => typeof tool === "string")) : undefined,
    usesAdapter: adapter !== false,
  };
}
