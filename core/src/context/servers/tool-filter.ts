import { matchesStars } from "../../base/star-pattern.js";
import type { UserServer } from "../../settings/user-server.js";

/** Whether agents get a tool, by its name. */
export type ToolFilter = (tool: string) => boolean;

/** What `tools` and `excludeTools` of an entry say; `*` stands for any characters, and what is excluded stays so. */
export function toolFilter({ tools, excludeTools }: Pick<UserServer, "tools" | "excludeTools">): ToolFilter {
  const included = tools && anyOf(tools);
  const excluded = anyOf(excludeTools ?? []);
  return (tool) => (included?.(tool) ?? true) && !excluded(tool);
}

/** The server without the tools that a project or the user switches off, each written as `SERVER/TOOL`. Either may have a `/`. */
export function withoutTools(server: UserServer, disabled: readonly string[]): UserServer {
  const tools = disabled.flatMap((one) => toolsFor(server.name, one));
  return tools.length === 0 ? server : { ...server, excludeTools: [...(server.excludeTools ?? []), ...tools] };
}

/** What `entry` says of the tools of a server: what follows its name as it is, or else each `/` that a pattern of it ends at. */
function toolsFor(server: string, entry: string): readonly string[] {
  if (entry.startsWith(`${server}/`)) return [entry.slice(server.length + 1)];
  const slashes = [...entry.matchAll(/\//g)].map(({ index }) => index);
  return slashes.filter((at) => matchesStars(entry.slice(0, at), server)).map((at) => entry.slice(at + 1));
}

function anyOf(patterns: readonly string[]): ToolFilter {
  return (tool) => patterns.some((pattern) => matchesStars(pattern, tool));
}
