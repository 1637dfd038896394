import type { McpServer } from "../../base/mcp/mcp-server.js";
import { ToolServer } from "../../base/mcp/tool-server.js";
import { asObject } from "../../base/rpc/json.js";
import type { CrateLocator } from "./crates/crate-locator.js";
import type { Researcher } from "./research/researcher.js";
import { crateItemTool } from "./tools/crate-item-tool.js";
import { crateQueryTool, type ToolSession } from "./tools/crate-query-tool.js";
import { crateSearchTool, crateSourcesTool } from "./tools/crate-tools.js";

const ferrisToolNames = ["crate_sources", "crate_search", "crate_item", "rust_crate_query"] as const;
type FerrisToolName = (typeof ferrisToolNames)[number];

export interface FerrisOptions {
  readonly tools: ReadonlySet<FerrisToolName>;
  /** Time limit of a research session. */
  readonly researchTimeoutMs: number;
}

const defaultResearchTimeoutMs = 5 * 60_000;

/** Parses `{tools?: string[], researchTimeoutMs?: number}`. Ignores invalid members and unknown tools. */
export function parseFerrisOptions(options: unknown): FerrisOptions {
  const { tools, researchTimeoutMs } = asObject(options) ?? {};
  const wanted: readonly unknown[] = Array.isArray(tools) ? tools : ferrisToolNames;
  const isDuration =
    typeof researchTimeoutMs === "number" && Number.isFinite(researchTimeoutMs) && researchTimeoutMs > 0;
  return {
    tools: new Set(ferrisToolNames.filter((name) => wanted.includes(name))),
    researchTimeoutMs: isDuration ? researchTimeoutMs : defaultResearchTimeoutMs,
  };
}

interface FerrisServerParts {
  readonly locator: CrateLocator;
  readonly options: FerrisOptions;
  readonly session: ToolSession;
  /** Version that the server reports. */
  readonly version: string;
  /** Undefined if there is no agent for research. */
  readonly researcher?: Researcher;
}

/** Creates the MCP server `ferris` for one session, with the tools in the options. */
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
