/** One file system entry that a sandboxed program sees. All paths are absolute. */
export type Mount =
  /** The machine's `path`, or the machine's `source` mounted at `path`. */
  | { readonly kind: "readable" | "writable"; readonly path: string; readonly source?: string }
  | { readonly kind: "empty"; readonly path: string }
  /** A file that can't be read. */
  | { readonly kind: "masked"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

/** File system and environment of a sandboxed program. A path without a mount doesn't exist for the program. */
export interface SandboxPlan {
  /** Mounts in the order in which they are made; later mounts cover earlier ones. */
  readonly mounts: readonly Mount[];
  /** Complete environment of the program, which inherits no other variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Paths for a sandbox plan. They exist on this machine and have their links resolved. */
export interface SandboxPaths {
  readonly home: string;
  /** Private folder that replaces {@link home} and is kept across starts. */
  readonly privateHome: string;
  /** Folders in {@link home} that contain a workspace root. Each is replaced by a private folder that is kept across starts. */
  readonly besides?: readonly { readonly path: string; readonly source: string }[];
  /** System folders such as `/usr`, and system links such as `/bin`, which leads to `usr/bin`. */
  readonly system: readonly (string | { readonly path: string; readonly target: string })[];
  /** System files that contain secrets and that this user could read. */
  readonly secrets: readonly string[];
  readonly programs: readonly string[];
  /** Folders with the agent's sessions and sign-in data. If a folder is reached through a link, both paths are listed. */
  readonly state: readonly string[];
  readonly roots: readonly string[];
  /** Existing paths in {@link state} and {@link roots} that can cause code to run later. */
  readonly runsLater: readonly string[];
  /** Folders that always appear empty to the program, wherever they are. */
  readonly hidden: readonly string[];
  /** Files that are readable even if they are inside {@link hidden}. */
  readonly given?: readonly string[];
}

/** Returns a sandbox's mounts, lowest first. */
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
  // Mount each parent of a protected path, so that the parent can't be renamed and created again.
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
 * Mounts the protected paths of `owner` a second time, at `place`. Needed because another sandbox with the same private folder can remove
 * the mount point of `owner`, and the kernel then drops the mounts there; the copies still prevent renaming.
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

/** Returns whether `path` equals `folder` or is inside it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** Returns the folders between `path` and the innermost owner folder that contains it. */
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
