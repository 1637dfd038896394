import type { ContextSettings } from "./context-settings.js";

type Exclude = ContextSettings["exclude"];

/** What stands before the name of a server in `context.exclude`, and before `NAME/TOOL`. */
export const serverPrefix = "mcp:";

/** Whether `exclude` names a file's rules, skill or command: by one of its names, or by its path, absolute or from `~`. */
export function isExcluded(exclude: Exclude, names: readonly string[], path: string, home: string): boolean {
  return exclude.some((one) => names.includes(one) || isPath(one, path, home));
}

/** Whether `entry` is the path of a file, absolute or from `~`. */
export function isPath(entry: string, path: string, home: string): boolean {
  const full = entry.startsWith("~/") ? `${home}${entry.slice(1)}` : entry;
  return plainPath(full) === plainPath(path);
}

/** How a file is named so that it stays that one file: from `~` where it is the user's, else absolute. */
export function fileKey(path: string, home: string): string {
  const below = `${plainPath(home)}/`;
  return plainPath(path).startsWith(below) ? `~/${plainPath(path).slice(below.length)}` : path;
}

/** The servers that no session gets, by name. A name may have a `/`, so what is meant as `SERVER/TOOL` is among them. */
export function excludedServers(exclude: Exclude): readonly string[] {
  return ofServers(exclude);
}

/** The tools that no session gets, as `SERVER/TOOL`; servers that have a `/` in their name are among them. */
export function excludedTools(exclude: Exclude): readonly string[] {
  return ofServers(exclude).filter((one) => one.includes("/"));
}

function ofServers(exclude: Exclude): readonly string[] {
  return exclude.filter((one) => one.startsWith(serverPrefix)).map((one) => one.slice(serverPrefix.length));
}

function plainPath(path: string): string {
  return path.replaceAll("\\", "/");
}
