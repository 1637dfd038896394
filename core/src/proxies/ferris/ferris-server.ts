import type { McpServer } from "../../mcp/mcp-server.js";
import { ToolServer } from "../../mcp/tool-server.js";
import type { CrateLocator } from "./crates/crate-locator.js";
import type { FerrisOptions } from "./ferris-options.js";
import type { Researcher } from "./research/researcher.js";
import { crateItemTool } from "./tools/crate-item-tool.js";
import { crateQueryTool, type ToolSession } from "./tools/crate-query-tool.js";
import { crateSearchTool } from "./tools/crate-search-tool.js";
import { crateSourcesTool } from "./tools/crate-sources-tool.js";

export interface FerrisServerParts {
  readonly locator: CrateLocator;
  readonly options: FerrisOptions;
  readonly session: ToolSession;
  /** The version it gives of itself. */
  readonly version: string;
  /** Absent where there is no agent to research with. */
  readonly researcher?: Researcher;
}

/** The MCP server `ferris` for one session, with the tools that the options name. */
export function ferrisServer({ locator, options, session, version, researcher }: FerrisServerParts): McpServer {
  const tools = [
    crateSourcesTool(locator, session.cwd),
    crateSearchTool(locator, session.cwd),
    crateItemTool(locator, session.cwd),
    ...(researcher ? [crateQueryTool(locator, researcher, session, version)] : []),
  ];
  const wanted: ReadonlySet<string> = options.tools;
  return new ToolServer({
    name: "ferris",
    version,
    instructions:
      "Shows what Rust crates really contain, at the versions this workspace uses. Look here before you guess an API.",
    tools: tools.filter((tool) => wanted.has(tool.name)),
  });
}
