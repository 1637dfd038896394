type FileUse = "read" | "write";

const uses: ReadonlyMap<string, readonly FileUse[]> = new Map([
  ["read", ["read"]],
  ["search", ["read"]],
  ["edit", ["write"]],
  ["delete", ["write"]],
  ["move", ["read", "write"]],
]);

/** Returns how tool calls of an ACP `ToolKind` use the files that they name; undefined for kinds that aren't about files. */
export function fileUses(kind: string): readonly FileUse[] | undefined {
  return uses.get(kind);
}
