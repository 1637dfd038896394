import { isWithin, type Mount } from "./sandbox-plan.js";

/** A mount whose source is in a folder that other sandboxes may write to. */
export interface ExpectedMount {
  readonly path: string;
  /** Path on the machine that must be mounted. */
  readonly source: string;
  /** Outermost folder that contains {@link source} and is mounted at its own path. */
  readonly owner: string;
}

/** A folder, with the disk it is on and its path within the disk's file system. */
export interface FolderPlace {
  readonly path: string;
  readonly disk: string;
  readonly place: string;
}

/**
 * Returns the mounts that another program could redirect by inserting a link after Symposium's check and before bubblewrap mounts the path.
 * `owners` are workspace roots and state folders, since agents can't write to the folders above them.
 */
export function expectedMounts(mounts: readonly Mount[], owners: readonly string[]): readonly ExpectedMount[] {
  return mounts.flatMap((mount) => {
    if (mount.kind !== "readable" && mount.kind !== "writable") return [];
    const { path, source = path } = mount;
    const [owner] = owners.filter((folder) => isWithin(source, folder)).sort((a, b) => a.length - b.length);
    return owner === undefined || path === owner ? [] : [{ path, source, owner }];
  });
}

/** Returns whether `/proc/PID/mountinfo` shows that all mounts have been made. The last step of bubblewrap is to leave its own root. */
export function isMounted(mountinfo: string): boolean {
  return linesOf(mountinfo).some(({ path, root }) => path === "/" && root.endsWith("/newroot"));
}

/**
 * Returns the first path whose mount is missing or unexpected; undefined if all mounts are as expected. `roots` are folders that are
 * mounted at their own paths, with the places that were determined before.
 */
export function misplacedMount(
  mountinfo: string,
  expected: readonly ExpectedMount[],
  roots: readonly FolderPlace[] = [],
): string | undefined {
  const mounted = new Map<string, MountLine[]>();
  for (const line of linesOf(mountinfo)) mounted.set(line.path, [...(mounted.get(line.path) ?? []), line]);
  // Check all mounts at the path, since an empty mount, such as `/tmp`, may be there too.
  const moved = roots.find(
    ({ path, disk, place }) => !mounted.get(path)?.some((found) => found.disk === disk && found.place === place),
  );
  if (moved) return moved.path;
  const wrong = expected.find(({ path, source, owner }) => {
    const whole = mounted.get(owner)?.[0];
    const found = mounted.get(path) ?? [];
    if (!whole || found.length === 0) return true;
    // Check only the first mount at the path, which is bubblewrap's. Later mounts can only hide more.
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
  /** Path of the mount's root within its file system. */
  readonly root: string;
  /** Mount source followed by {@link root}. With NFS, the source contains the full path, and {@link root} is always `/`. */
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

/** Decodes octal escapes such as `\040`, which mountinfo uses for blanks. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
