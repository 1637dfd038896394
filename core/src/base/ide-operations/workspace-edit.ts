import { flag, kindOf, list, object, optional, type Read, text, variant } from "./reader.js";
import { range } from "./place.js";

/** Replaces `range`, whose positions refer to the text before all edits of the same list. */
export const textEdit = object({ range, newText: text });
export type TextEdit = Read<typeof textEdit>;

/** Step of an edit; steps are applied in order. Edits within one step don't overlap. */
const workspaceChange = variant({
  edit: object({ kind: kindOf("edit"), uri: text, edits: list(textEdit) }),
  create: object({ kind: kindOf("create"), uri: text, overwrite: optional(flag) }),
  rename: object({ kind: kindOf("rename"), from: text, to: text }),
  delete: object({ kind: kindOf("delete"), uri: text }),
});
export type WorkspaceChange = Read<typeof workspaceChange>;

export const workspaceEdit = object({ changes: list(workspaceChange) });
export type WorkspaceEdit = Read<typeof workspaceEdit>;
