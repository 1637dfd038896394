import type { UserServer } from "../settings/user-server.js";

/** Whether agents get a tool, by its name. */
export type ToolFilter = (tool: string) => boolean;

/** What `tools` and `excludeTools` of an entry say; `*` stands for any characters, and what is excluded stays so. */
export function toolFilter({ tools, excludeTools }: Pick<UserServer, "tools" | "excludeTools">): ToolFilter {
  const included = tools && anyOf(tools);
  const excluded = anyOf(excludeTools ?? []);
  return (tool) => (included?.(tool) ?? true) && !excluded(tool);
}

/** The server without the tools that a project switches off, each written as `SERVER/TOOL`. */
export function withoutTools(server: UserServer, disabled: readonly string[]): UserServer {
  const tools = disabled.flatMap((one) => {
    const at = one.indexOf("/");
    return at !== -1 && isMatch(one.slice(0, at), server.name) ? [one.slice(at + 1)] : [];
  });
  return tools.length === 0 ? server : { ...server, excludeTools: [...(server.excludeTools ?? []), ...tools] };
}

function anyOf(patterns: readonly string[]): ToolFilter {
  return (tool) => patterns.some((pattern) => isMatch(pattern, tool));
}

/** Part by part, and not as a regular expression: strangers write patterns, too. */
function isMatch(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
