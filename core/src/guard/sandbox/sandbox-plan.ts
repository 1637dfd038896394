/** One thing that a program in a sandbox sees of the file system; all paths are absolute. */
export type Mount =
  /** `path` as it is on the machine, or `source` of the machine in its place. */
  | { readonly kind: "readable" | "writable"; readonly path: string; readonly source?: string }
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
  /** Folders of {@link home} that hold a workspace root, each with its private replacement, which is kept. */
  readonly besides?: readonly { readonly path: string; readonly source: string }[];
  /** Folders and links of the system, such as `/usr`, and `/bin` as a link to `usr/bin`. */
  readonly system: readonly (string | { readonly path: string; readonly target: string })[];
  /** Files of the system that hold secrets which this user could read. */
  readonly secrets: readonly string[];
  /** Programs and toolchains outside of the system's folders. */
  readonly programs: readonly string[];
  /** Folders where the agent keeps its sessions and sign-in; one that is reached by a link stands under both names. */
  readonly state: readonly string[];
  /** Workspace roots. */
  readonly roots: readonly string[];
  /** What of {@link state} and {@link roots} runs code later, and is there. */
  readonly runsLater: readonly string[];
  /** Folders that stay hidden wherever they lie: programs see empty ones. */
  readonly hidden: readonly string[];
  /** Files that can be read, also in {@link hidden}. */
  readonly given?: readonly string[];
}

/** The mounts of a sandbox, lowest first. */
export function sandboxMounts(paths: SandboxPaths): readonly Mount[] {
  const {
    home,
    privateHome,
    system,
    secrets,
    programs,
    state,
    roots,
    runsLater,
    hidden,
    given = [],
    besides = [],
  } = paths;
  const owned = [...state, ...roots];
  const concealed = hidden.filter((path) => [...owned, ...programs].some((owner) => isWithin(path, owner)));
  // A folder above what is protected is a mount of its own, so that it cannot be renamed and made anew.
  const pins = byDepth([...new Set([...runsLater, ...concealed].flatMap((path) => foldersAbove(path, owned)))]);
  return [
    ...system.map((entry): Mount =>
      typeof entry === "string" ? { kind: "readable", path: entry } : { kind: "link", ...entry },
    ),
    ...secrets.map((path): Mount => ({ kind: "masked", path })),
    ...["/tmp", "/run", "/var/tmp"].map((path): Mount => ({ kind: "empty", path })),
    ...[{ path: home, source: privateHome }, ...besides].map((place): Mount => ({ kind: "writable", ...place })),
    ...outermost(programs).map((path): Mount => ({ kind: "readable", path })),
    ...byDepth(owned).map((path): Mount => ({ kind: "writable", path })),
    ...pins.map((path): Mount => ({ kind: "writable", path })),
    ...byDepth(runsLater).map((path): Mount => ({ kind: "readable", path })),
    ...concealed.map((path): Mount => ({ kind: "empty", path })),
    ...given.map((path): Mount => ({ kind: "readable", path })),
    ...owned
      .filter((path) => isWithin(path, home))
      .flatMap((owner, index) =>
        heldElsewhere(owner, `/run/symposium/${index}`, { pins: [...owned, ...pins], runsLater, concealed }),
      ),
  ];
}

/**
 * What is protected in `owner`, a folder below the user's own, mounted once more at `place`. Another sandbox with the same private
 * folder can remove the folder there that `owner` is mounted upon, and the kernel then takes those mounts away here; while these
 * are left, nothing that is protected can be renamed.
 */
function heldElsewhere(
  owner: string,
  place: string,
  { pins, runsLater, concealed }: Readonly<Record<"pins" | "runsLater" | "concealed", readonly string[]>>,
): readonly Mount[] {
  const inside = (paths: readonly string[]): readonly string[] =>
    byDepth(paths.filter((path) => path !== owner && isWithin(path, owner)));
  const mounts = [
    ...inside(pins).map((path): Mount => ({ kind: "writable", path, source: path })),
    ...inside(runsLater).map((path): Mount => ({ kind: "readable", path, source: path })),
    ...inside(concealed).map((path): Mount => ({ kind: "empty", path })),
  ];
  if (mounts.length === 0) return [];
  return [
    { kind: "writable", path: place, source: owner },
    ...mounts.map((mount): Mount => ({ ...mount, path: place + mount.path.slice(owner.length) })),
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
