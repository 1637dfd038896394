import { matchesStars } from "../../base/star-pattern.js";
import type { UserServer } from "../../settings/user-server.js";

export type ToolFilter = (tool: string) => boolean;

/** Returns the filter for `tools` and `excludeTools`. `*` matches any characters; exclusion takes precedence. */
export function toolFilter({ tools, excludeTools }: Pick<UserServer, "tools" | "excludeTools">): ToolFilter {
  const included = tools && anyOf(tools);
  const excluded = anyOf(excludeTools ?? []);
  return (tool) => (included?.(tool) ?? true) && !excluded(tool);
}

/** Excludes tools disabled by project or user, written as `SERVER/TOOL`. Both names may contain `/`. */
export function withoutTools(server: UserServer, disabled: readonly string[]): UserServer {
  const tools = disabled.flatMap((one) => toolsFor(server.name, one));
  return tools.length === 0 ? server : { ...server, excludeTools: [...(server.excludeTools ?? []), ...tools] };
}

/** Returns the tool patterns in `entry` for a server. Prefers the exact server name, else tries each `/` as the end of a server pattern. */
function toolsFor(server: string, entry: string): readonly string[] {
  if (entry.startsWith(`${server}/`)) return [entry.slice(server.length + 1)];
  const slashes = [...entry.matchAll(/\//g)].map(({ index }) => index);
  return slashes.filter((at) => matchesStars(entry.slice(0, at), server)).map((at) => entry.slice(at + 1));
}

function anyOf(patterns: readonly string[]): ToolFilter {
  return (tool) => patterns.some((pattern) => matchesStars(pattern, tool));
}
