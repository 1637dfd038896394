import type { ContextSettings } from "./context-settings.js";

type Exclude = ContextSettings["exclude"];

/** Prefix of entries in `context.exclude` that name a server, or a tool as `NAME/TOOL`. */
export const serverPrefix = "mcp:";

/** Returns whether `exclude` contains a rules file, skill or command, by name or by path (absolute or from `~`). */
export function isExcluded(exclude: Exclude, names: readonly string[], path: string, home: string): boolean {
  return exclude.some((one) => names.includes(one) || isPath(one, path, home));
}

/** Returns whether `entry` is the file's path, written as an absolute path or starting with `~`. */
export function isPath(entry: string, path: string, home: string): boolean {
  const full = entry.startsWith("~/") ? `${home}${entry.slice(1)}` : entry;
  return plainPath(full) === plainPath(path);
}

/** Returns a stable key for a file: its path starting with `~` if the file is in the home folder, otherwise its absolute path. */
export function fileKey(path: string, home: string): string {
  const below = `${plainPath(home)}/`;
  return plainPath(path).startsWith(below) ? `~/${plainPath(path).slice(below.length)}` : path;
}

/** Returns the names of excluded servers. Includes `SERVER/TOOL` entries, since a server name may contain `/`. */
export function excludedServers(exclude: Exclude): readonly string[] {
  return ofServers(exclude);
}

/** Returns excluded tools as `SERVER/TOOL`. A server's name can contain `/`. */
export function excludedTools(exclude: Exclude): readonly string[] {
  return ofServers(exclude).filter((one) => one.includes("/"));
}

function ofServers(exclude: Exclude): readonly string[] {
  return exclude.filter((one) => one.startsWith(serverPrefix)).map((one) => one.slice(serverPrefix.length));
}

function plainPath(path: string): string {
  return path.replaceAll("\\", "/");
}
