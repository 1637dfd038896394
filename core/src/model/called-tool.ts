import type { ToolResult } from "../mcp/tool.js";

/** A call of one of the client's tools. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Carries out a call of the agent: resolves with what the client's tool gave. */
export type CallTool = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<ToolResult | string>;
