import type { UserServer } from "../settings/user-server.js";

/** Whether agents get a tool, by its name. */
export type ToolFilter = (tool: string) => boolean;

/** What `tools` and `excludeTools` of an entry say; `*` stands for any characters, and what is excluded stays so. */
export function toolFilter({ tools, excludeTools }: Pick<UserServer, "tools" | "excludeTools">): ToolFilter {
  const included = tools && anyOf(tools);
  const excluded = anyOf(excludeTools ?? []);
  return (tool) => (included?.(tool) ?? true) && !excluded(tool);
}

function anyOf(patterns: readonly string[]): ToolFilter {
  const tests = patterns.map((pattern) => new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`, "s"));
  return (tool) => tests.some((test) => test.test(tool));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
