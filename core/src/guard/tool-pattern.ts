import type { McpTool } from "../base/acp/mcp-tool-call.js";
import { matchesStars } from "../base/star-pattern.js";

/** A tool of an MCP server, as a rule sees it. */
export interface GuardTool extends McpTool {
  /** Other names of the server: as its user calls it. */
  readonly alsoNamed?: string;
}

/** Why `pattern` is none; undefined where it is one. */
export function faultOfToolPattern(pattern: string): string | undefined {
  if (/^[^/\s][^/]*\/[^\s]+$/.test(pattern) && !pattern.includes("**")) return undefined;
  return `The tool ${JSON.stringify(pattern)} cannot be read: write SERVER/TOOL, such as github/delete_repo, github/* or */delete_*.`;
}

/**
 * Whether `SERVER/TOOL` names a tool, for rules that refuse or ask: by any name of its server, in capitals or not, and with
 * the characters that agents put in place of those that they do not take.
 */
export function concernsTool(pattern: string, { server, tool, alsoNamed }: GuardTool): boolean {
  const [wantedServer, wantedTool] = halvesOf(pattern);
  const isOne = (wanted: string, name: string): boolean =>
    matchesStars(wanted.toLowerCase(), name.toLowerCase()) || matchesStars(plain(wanted), plain(name));
  return isOne(wantedTool, tool) && [server, alsoNamed ?? server].some((name) => isOne(wantedServer, name));
}

/** Whether it allows exactly this tool. */
export function allowsTool(pattern: string, { server, tool }: GuardTool): boolean {
  const [wantedServer, wantedTool] = halvesOf(pattern);
  return matchesStars(wantedServer, server) && matchesStars(wantedTool, tool);
}

function halvesOf(pattern: string): readonly [string, string] {
  const place = pattern.indexOf("/");
  return [pattern.slice(0, place), pattern.slice(place + 1)];
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\w*]+/g, "_");
}
