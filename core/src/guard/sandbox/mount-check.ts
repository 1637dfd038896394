import { isWithin, type Mount } from "./sandbox-plan.js";

/** A mount of something that lies in a folder which other sandboxes may write, too. */
export interface ExpectedMount {
  /** Where it is mounted. */
  readonly path: string;
  /** What has to be there: a path of the machine. */
  readonly source: string;
  /** The outermost folder with {@link source} that is mounted as itself. */
  readonly owner: string;
}

/** Where a folder lies, as its file system has it. */
export interface FolderPlace {
  readonly path: string;
  readonly disk: string;
  readonly place: string;
}

/**
 * The mounts of a plan that another program could have led elsewhere, by a link in the place of a folder, between our look at the folder
 * and bubblewrap's. `owners` are workspace roots and folders of state; what lies above these, agents do not write.
 */
export function expectedMounts(mounts: readonly Mount[], owners: readonly string[]): readonly ExpectedMount[] {
  return mounts.flatMap((mount) => {
    if (mount.kind !== "readable" && mount.kind !== "writable") return [];
    const { path, source = path } = mount;
    const [owner] = owners.filter((folder) => isWithin(source, folder)).sort((a, b) => a.length - b.length);
    return owner === undefined || path === owner ? [] : [{ path, source, owner }];
  });
}

/** Whether bubblewrap has made all mounts, as `/proc/PID/mountinfo` has them: it leaves its own root last. */
export function isMounted(mountinfo: string): boolean {
  return linesOf(mountinfo).some(({ path, root }) => path === "/" && root.endsWith("/newroot"));
}

/**
 * The first path at which something else is mounted than is expected, or nothing; undefined where all is right. `roots` are folders that are
 * mounted as themselves, and were found there before.
 */
export function misplacedMount(
  mountinfo: string,
  expected: readonly ExpectedMount[],
  roots: readonly FolderPlace[] = [],
): string | undefined {
  const mounted = new Map<string, MountLine[]>();
  for (const line of linesOf(mountinfo)) mounted.set(line.path, [...(mounted.get(line.path) ?? []), line]);
  // An empty folder may lie below it, such as that of `/tmp`.
  const moved = roots.find(
    ({ path, disk, place }) => !mounted.get(path)?.some((found) => found.disk === disk && found.place === place),
  );
  if (moved) return moved.path;
  const wrong = expected.find(({ path, source, owner }) => {
    const whole = mounted.get(owner)?.[0];
    const found = mounted.get(path) ?? [];
    if (!whole || found.length === 0) return true;
    // The first is ours; what lies upon it hides more.
    const [{ disk, place } = whole] = found;
    return disk !== whole.disk || place.replace(/\/\/deleted$/, "") !== whole.place + source.slice(owner.length);
  });
  return wrong?.path;
}

/** Where a folder lies, of which the kernel says by which mount it is reached; undefined where that one is not listed. */
export function placeInMount(mountinfo: string, id: string, path: string): FolderPlace | undefined {
  const line = linesOf(mountinfo).find((one) => one.id === id);
  if (!line || !isWithin(path, line.path)) return undefined;
  return { path, disk: line.disk, place: line.place + (line.path === "/" ? path : path.slice(line.path.length)) };
}

/** Where file systems are mounted. */
export function mountPoints(mountinfo: string): readonly string[] {
  return linesOf(mountinfo).map(({ path }) => path);
}

interface MountLine {
  readonly id: string;
  readonly disk: string;
  /** Of what is mounted, in its file system. */
  readonly root: string;
  /** The same after the name of the file system, which has the whole path with NFS: {@link root} is always `/` there. */
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

/** Blanks and the like stand there by their number. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
