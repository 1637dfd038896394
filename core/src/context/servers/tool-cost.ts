import { utf8Length } from "../../base/text-bounds.js";
import { toolBytes } from "../../base/mcp/in-process-client.js";
import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ToolSearchSettings } from "../../settings/settings-table.js";
import { type ServerTools, ToolIndex } from "./tool-index.js";
import { indexInstructions, type ToolForm, toolFormOf } from "./direct-or-searched-tools.js";
import { searchEntries } from "./tool-search-server.js";

interface ToolCost {
  readonly form: ToolForm;
  /** Number of tools that the agent gets with their schemas. */
  readonly shown: number;
  /** UTF-8 bytes of the JSON for the model; agents add a little more. */
  readonly bytes: number;
  /** Estimate of four bytes per token. */
  readonly tokens: number;
}

/** Estimates the cost of the servers' tools for an agent. `row` is undefined for an unknown agent. */
export function toolCost(
  servers: readonly ServerTools[],
  row: AgentRow | undefined,
  settings: ToolSearchSettings,
): ToolCost {
  const index = new ToolIndex(servers);
  const form = toolFormOf(index, row, settings);
  const { shown, bytes } = shownIn(form, index);
  return { form, shown, bytes, tokens: tokensOf(bytes) };
}

export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / 4);
}

function shownIn(form: ToolForm, index: ToolIndex): { readonly shown: number; readonly bytes: number } {
  const instructions = index.servers.reduce((sum, one) => sum + utf8Length(one.instructions ?? ""), 0);
  switch (form) {
    case "all": {
      const tools = index.tools.reduce((sum, { tool }) => sum + toolBytes(tool), 0);
      return { shown: index.tools.length, bytes: tools + instructions };
    }
    case "search": {
      const entries = searchEntries(index);
      return { shown: entries.length, bytes: utf8Length(JSON.stringify(entries)) };
    }
    case "names": {
      const names = index.tools.map(({ server, tool }) => `mcp__${server.name}__${tool.name}\n`);
      return { shown: 0, bytes: utf8Length(names.join("")) + instructions };
    }
    case "index": {
      const texts = indexInstructions(index).map(({ text }) => text);
      return { shown: 0, bytes: utf8Length(texts.join("")) };
    }
  }
}
