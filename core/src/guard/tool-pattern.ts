import type { McpTool } from "../base/acp/mcp-tool-call.js";
import { matchesStars } from "../base/star-pattern.js";

export interface GuardTool extends McpTool {
  /** Name that the user gave the server. */
  readonly alsoNamed?: string;
}

/** Returns why `pattern` is invalid; undefined if valid. */
export function faultOfToolPattern(pattern: string): string | undefined {
  if (/^[^/\s][^/]*\/[^\s]+$/.test(pattern) && !pattern.includes("**")) return undefined;
  return `The tool pattern ${JSON.stringify(pattern)} is invalid. Use SERVER/TOOL, such as github/delete_repo, github/* or */delete_*.`;
}

/**
 * Returns whether the pattern `SERVER/TOOL` matches a tool, for rules that deny or ask. Accepts any name of the server, ignores case, and
 * treats all characters that agents replace as equal.
 */
export function concernsTool(pattern: string, { server, tool, alsoNamed }: GuardTool): boolean {
  const [wantedServer, wantedTool] = halvesOf(pattern);
  const isOne = (wanted: string, name: string): boolean =>
    matchesStars(wanted.toLowerCase(), name.toLowerCase()) || matchesStars(plain(wanted), plain(name));
  return isOne(wantedTool, tool) && [server, alsoNamed ?? server].some((name) => isOne(wantedServer, name));
}

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
