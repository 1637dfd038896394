/** What a place in an archive holds. */
export type TreeNode =
  | { readonly kind: "folder" | "file"; readonly path: readonly string[] }
  | { readonly kind: "symlink"; readonly path: readonly string[]; readonly target: string };

type SymlinkNode = Extract<TreeNode, { kind: "symlink" }>;

/** As many as Linux follows. */
const maxHops = 40;

/**
 * Where a symbolic link leads, the way a system would walk it, through other links too: a path below the root,
 * `nothing` where the tree holds nothing, or `outside`. A circle leads to nothing.
 */
export function followLink(
  link: SymlinkNode,
  nodeAt: (path: readonly string[]) => TreeNode | undefined,
): readonly string[] | "nothing" | "outside" {
  let hops = 0;
  const walk = (from: readonly string[], target: string): readonly string[] | "nothing" | "outside" => {
    if (++hops > maxHops) return "nothing";
    let place: readonly string[] | "nothing" = from;
    for (const part of target.split("/")) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        // Beyond something that does not exist yet, a later link could stand.
        if (place === "nothing" || place.length === 0) return "outside";
        place = place.slice(0, -1);
        continue;
      }
      if (place === "nothing") continue;
      const next: readonly string[] = [...place, part];
      const node = nodeAt(next);
      if (node?.kind === "symlink") {
        const end = walk(place, node.target);
        if (end === "outside") return end;
        place = end;
      } else {
        place = node === undefined ? "nothing" : next;
      }
    }
    return place;
  };
  return walk(link.path.slice(0, -1), link.target);
}
