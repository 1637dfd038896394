interface FileEntry {
  readonly kind: "file";
  /** SHA-256 of the content in hex. For a file that wasn't read, a string that changes with its size and times. */
  readonly hash: string;
  readonly size: number;
  readonly mode: number;
  /** True if the store has the content, so that the file can be restored. */
  readonly isKept: boolean;
}

interface LinkEntry {
  readonly kind: "link";
  /** Text of the link. The link's target may not exist. */
  readonly target: string;
}

/** State of a path in a snapshot. Folders have no entries. */
export type TreeEntry = FileEntry | LinkEntry;

/** State of a path in a snapshot. "unknown" if, for example, the file was ignored when the snapshot was taken. */
export type PathState = TreeEntry | "absent" | "unknown";

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
