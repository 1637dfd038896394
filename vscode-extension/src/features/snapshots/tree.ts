/** A file of a snapshot. */
interface FileEntry {
  readonly kind: "file";
  /** SHA-256 of the content in hex; of a file that was not read, something that changes with its size and times. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  /** The content is in the store, so the file can be put back. */
  readonly isKept: boolean;
}

interface LinkEntry {
  readonly kind: "link";
  /** As the link says it, which need not exist. */
  readonly target: string;
}

/** What a snapshot knows of one path. Folders have no entries: they are there with their files. */
export type TreeEntry = FileEntry | LinkEntry;

/** There was nothing; or nobody can tell, as of a file that was ignored then. */
export type PathState = TreeEntry | "absent" | "unknown";

/** One path that two snapshots know differently. `path` is relative to the folder, with slashes. */
export interface TreeChange {
  readonly path: string;
  readonly before: TreeEntry | "absent";
  readonly after: TreeEntry | "absent";
}

export function isSameState(one: PathState, other: PathState): boolean {
  if (typeof one === "string" || typeof other === "string") return one === other;
  if (one.kind === "link" || other.kind === "link")
    return one.kind === "link" && other.kind === "link" && one.target === other.target;
  return one.hash === other.hash && one.mode === other.mode;
}
