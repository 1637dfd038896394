/** One thing that a program in a sandbox sees of the file system; all paths are absolute. */
export type Mount =
  /** `path` as it is on the machine. */
  | { readonly kind: "readable" | "writable"; readonly path: string }
  /** `path` is the folder or file `source` of the machine. */
  | { readonly kind: "stand-in"; readonly path: string; readonly source: string }
  /** An empty folder in memory. */
  | { readonly kind: "empty"; readonly path: string }
  /** A file that nobody reads anything from. */
  | { readonly kind: "masked"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

/** What a program in a sandbox gets. What is not mounted is not there. */
export interface SandboxPlan {
  /** In their order: later ones lie upon earlier ones. */
  readonly mounts: readonly Mount[];
  /** The whole environment: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** What a plan is made of: paths of this machine that exist, links followed. */
export interface SandboxPaths {
  /** The user's own folder. */
  readonly home: string;
  /** The folder that stands in for {@link home}; it is kept from one start to the next. */
  readonly privateHome: string;
  /** Folders and links of the system, such as `/usr`, and `/bin` as a link to `usr/bin`. */
  readonly system: readonly (string | { readonly path: string; readonly target: string })[];
  /** Files of the system that hold secrets which this user could read. */
  readonly secrets: readonly string[];
  /** Programs and toolchains outside of the system's folders. */
  readonly programs: readonly string[];
  /** Folders where the agent keeps its sessions and sign-in. */
  readonly state: readonly string[];
  /** Workspace roots. */
  readonly roots: readonly string[];
  /** What of {@link state} and {@link roots} runs code later, and is there. */
  readonly runsLater: readonly string[];
  /** Folders that stay hidden wherever they lie. */
  readonly hidden: readonly string[];
}

/** The mounts of a sandbox, lowest first. */
export function sandboxMounts(paths: SandboxPaths): readonly Mount[] {
  const { home, privateHome, system, secrets, programs, state, roots, runsLater, hidden } = paths;
  const owned = [...state, ...roots];
  return [
    ...system.map((entry): Mount =>
      typeof entry === "string" ? { kind: "readable", path: entry } : { kind: "link", ...entry },
    ),
    ...secrets.map((path): Mount => ({ kind: "masked", path })),
    ...["/tmp", "/run", "/var/tmp"].map((path): Mount => ({ kind: "empty", path })),
    { kind: "stand-in", path: home, source: privateHome },
    ...outermost(programs).map((path): Mount => ({ kind: "readable", path })),
    ...byDepth(owned).map((path): Mount => ({ kind: "writable", path })),
    // A folder above what is protected is a mount of its own, so that it cannot be renamed and made anew.
    ...byDepth([...new Set(runsLater.flatMap((path) => foldersAbove(path, owned)))]).map((path): Mount => ({
      kind: "writable",
      path,
    })),
    ...byDepth(runsLater).map((path): Mount => ({ kind: "readable", path })),
    ...hidden
      .filter((path) => [...owned, ...programs].some((owner) => isWithin(path, owner)))
      .map((path): Mount => ({ kind: "empty", path })),
  ];
}

/** Whether `path` is `folder`, or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** The folders between the innermost of `owners` that has `path`, and `path`. */
function foldersAbove(path: string, owners: readonly string[]): readonly string[] {
  const [owner] = owners.filter((folder) => isWithin(path, folder)).sort((a, b) => b.length - a.length);
  if (owner === undefined) return [];
  const found: string[] = [];
  for (let above = parentOf(path); above.length > owner.length; above = parentOf(above)) found.push(above);
  return found;
}

function outermost(paths: readonly string[]): readonly string[] {
  return byDepth(paths).filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));
}

function byDepth(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}
