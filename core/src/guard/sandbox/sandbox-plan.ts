/** One file system entry that a sandboxed program sees; all paths are absolute. */
export type Mount =
  /** `path` from the machine, or `source` in its place. */
  | { readonly kind: "readable" | "writable"; readonly path: string; readonly source?: string }
  | { readonly kind: "empty"; readonly path: string }
  /** An unreadable file. */
  | { readonly kind: "masked"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

/** File system and environment of a sandboxed program. Paths without a mount don't exist. */
export interface SandboxPlan {
  /** Mounts in order; later ones cover earlier ones. */
  readonly mounts: readonly Mount[];
  /** Complete environment; no other variable is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Paths for a plan; they exist on this machine and have links resolved. */
export interface SandboxPaths {
  readonly home: string;
  /** Replacement of {@link home}, persistent across starts. */
  readonly privateHome: string;
  /** Folders in {@link home} that contain a workspace root, each with a persistent private replacement. */
  readonly besides?: readonly { readonly path: string; readonly source: string }[];
  /** System folders and links, such as `/usr`, and `/bin` as a link to `usr/bin`. */
  readonly system: readonly (string | { readonly path: string; readonly target: string })[];
  /** System files with secrets that this user could read. */
  readonly secrets: readonly string[];
  readonly programs: readonly string[];
  /** Folders of the agent's sessions and sign-in; a folder reached by a link has both paths here. */
  readonly state: readonly string[];
  readonly roots: readonly string[];
  /** Existing paths in {@link state} and {@link roots} that can run code later. */
  readonly runsLater: readonly string[];
  /** Folders that always appear empty, wherever they are. */
  readonly hidden: readonly string[];
  /** Readable files, even if inside {@link hidden}. */
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
  // Mount each parent of a protected path, so that it can't be renamed and recreated.
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
 * Mounts the protected paths of `owner` again at `place`. Another sandbox with the same private folder can remove the mount point of
 * `owner`, and the kernel then drops its mounts here. The copies still prevent renaming.
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

/** Returns the folders between `path` and its innermost owner. */
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
