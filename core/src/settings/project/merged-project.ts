import { hookEvents, type Hooks } from "../hooks.js";
import type { UserServer } from "../user-server.js";
import type { ApprovedEntry } from "./approved-content.js";
import type { ApprovedSettings, FreeSettings, ProjectFile } from "./project-file.js";

/** Merged files of a project; the local file overrides the shared one by name. */
export interface MergedProject {
  readonly free: FreeSettings;
  readonly approved: ApprovedSettings;
  /** Entries of both files. If several entries have the same key, all are included, since a later step decides which one applies. */
  readonly entries: readonly ApprovedEntry[];
}

export function mergedFiles(files: readonly ProjectFile[]): MergedProject {
  // List the shared file first, since later entries override earlier ones.
  const ordered = files.toSorted((a, b) => Number(a.kind === "local") - Number(b.kind === "local"));
  const free = ordered.map((one) => one.free);
  const approved = ordered.map((one) => one.approved);
  const recommend = free.findLast((one) => one.recommend)?.recommend;
  const agent = approved.findLast((one) => one.agent)?.agent;
  return {
    free: {
      ...(recommend && { recommend }),
      instructionFiles: union(free.map((one) => one.instructionFiles)),
      disabledServers: union(free.map((one) => one.disabledServers)),
      disabledTools: union(free.map((one) => one.disabledTools)),
    },
    approved: {
      ...(agent && { agent }),
      env: Object.fromEntries(approved.flatMap((one) => Object.entries(one.env))),
      servers: lastByName(approved.flatMap((one) => one.servers)),
      proxies: lastByName(approved.flatMap((one) => one.proxies)),
      disabledProxies: union(approved.map((one) => one.disabledProxies)),
      skills: union(approved.map((one) => one.skills)),
      hooks: joinedHooks(approved.map((one) => one.hooks)),
    },
    entries: ordered.flatMap((one) => one.entries),
  };
}

/** Renames a project's servers whose name the user has already given to a server, so that no project replaces a user's server. */
export function besideUsers(servers: readonly UserServer[], users: readonly string[]): readonly UserServer[] {
  return servers.map((server) =>
    users.includes(server.name) ? { ...server, name: `${server.name}@project` } : server,
  );
}

/** Returns the hooks of all files. No file replaces another's hooks. */
function joinedHooks(all: readonly Hooks[]): Hooks {
  const joined = hookEvents.map((event) => [event, all.flatMap((one) => one[event] ?? [])] as const);
  return Object.fromEntries(joined.filter(([, groups]) => groups.length > 0));
}

function union(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

function lastByName<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((one) => [one.name, one] as const)).values()];
}
