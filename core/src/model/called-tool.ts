import type { ToolResult } from "../mcp/tool-server.js";

/** A call of one of the client's tools. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Carries out a call of the agent, which knows the tool as `alias`: resolves with what the client's tool gave. */
export type CallTool = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  alias: string,
) => Promise<ToolResult | string>;
