import { isWithin, type Mount } from "./sandbox-plan.js";

/** Mount whose source is in a folder that other sandboxes may write. */
export interface ExpectedMount {
  readonly path: string;
  /** Required source, a path on the machine. */
  readonly source: string;
  /** Outermost folder with {@link source} that is mounted at its own path. */
  readonly owner: string;
}

/** Position of a folder in its file system. */
export interface FolderPlace {
  readonly path: string;
  readonly disk: string;
  readonly place: string;
}

/**
 * Returns the mounts that another program could redirect by a link between Symposium's check and bubblewrap's mount. `owners` are workspace
 * roots and state folders; agents can't write above them.
 */
export function expectedMounts(mounts: readonly Mount[], owners: readonly string[]): readonly ExpectedMount[] {
  return mounts.flatMap((mount) => {
    if (mount.kind !== "readable" && mount.kind !== "writable") return [];
    const { path, source = path } = mount;
    const [owner] = owners.filter((folder) => isWithin(source, folder)).sort((a, b) => a.length - b.length);
    return owner === undefined || path === owner ? [] : [{ path, source, owner }];
  });
}

/** Returns whether `/proc/PID/mountinfo` shows all mounts: bubblewrap leaves its own root last. */
export function isMounted(mountinfo: string): boolean {
  return linesOf(mountinfo).some(({ path, root }) => path === "/" && root.endsWith("/newroot"));
}

/**
 * Returns the first path with a missing or unexpected mount; undefined if all match. `roots` are folders mounted at their own paths, with
 * the places found before.
 */
export function misplacedMount(
  mountinfo: string,
  expected: readonly ExpectedMount[],
  roots: readonly FolderPlace[] = [],
): string | undefined {
  const mounted = new Map<string, MountLine[]>();
  for (const line of linesOf(mountinfo)) mounted.set(line.path, [...(mounted.get(line.path) ?? []), line]);
  // An empty mount, such as `/tmp`, may be at the same path.
  const moved = roots.find(
    ({ path, disk, place }) => !mounted.get(path)?.some((found) => found.disk === disk && found.place === place),
  );
  if (moved) return moved.path;
  const wrong = expected.find(({ path, source, owner }) => {
    const whole = mounted.get(owner)?.[0];
    const found = mounted.get(path) ?? [];
    if (!whole || found.length === 0) return true;
    // The first mount is bubblewrap's; later ones only hide more.
    const [{ disk, place } = whole] = found;
    return disk !== whole.disk || place.replace(/\/\/deleted$/, "") !== whole.place + source.slice(owner.length);
  });
  return wrong?.path;
}

/** Returns the place of a folder reached by the mount `id`; undefined if the mount isn't listed. */
export function placeInMount(mountinfo: string, id: string, path: string): FolderPlace | undefined {
  const line = linesOf(mountinfo).find((one) => one.id === id);
  if (!line || !isWithin(path, line.path)) return undefined;
  return { path, disk: line.disk, place: line.place + (line.path === "/" ? path : path.slice(line.path.length)) };
}

export function mountPoints(mountinfo: string): readonly string[] {
  return linesOf(mountinfo).map(({ path }) => path);
}

interface MountLine {
  readonly id: string;
  readonly disk: string;
  /** Root of the mount within its file system. */
  readonly root: string;
  /** {@link root} after the mount source, which has the full path with NFS, where {@link root} is always `/`. */
  readonly place: string;
  readonly path: string;
}

function linesOf(mountinfo: string): readonly MountLine[] {
  return mountinfo.split("\n").flatMap((line): MountLine[] => {
    const words = line.split(" ");
    const [id = "", , disk, root, path] = words;
    if (disk === undefined || root === undefined || path === undefined) return [];
    const from = words[words.indexOf("-") + 2] ?? "";
    const place = unescaped(from).replace(/\/+$/, "") + (root === "/" ? "" : unescaped(root));
    return [{ id, disk, root: unescaped(root), place, path: unescaped(path) }];
  });
}

/** Decodes octal escapes, used for blanks. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
