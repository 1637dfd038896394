import { flag, list, object, optional, type Reader, text, variant } from "./reader.js";
import { type Range, range } from "./place.js";

/** Replaces `range`, whose positions refer to the text before all edits of the same list. */
export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

/** Step of an edit; steps are applied in order. Edits within one step don't overlap. */
export type WorkspaceChange =
  | { readonly kind: "edit"; readonly uri: string; readonly edits: readonly TextEdit[] }
  | { readonly kind: "create"; readonly uri: string; readonly overwrite?: boolean }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "delete"; readonly uri: string };

export interface WorkspaceEdit {
  readonly changes: readonly WorkspaceChange[];
}

type Of<K extends WorkspaceChange["kind"]> = Extract<WorkspaceChange, { readonly kind: K }>;
const kind =
  <const K extends string>(name: K): Reader<K> =>
  () =>
    name;

export const textEdit: Reader<TextEdit> = object<TextEdit>({ range, newText: text });

export const workspaceEdit: Reader<WorkspaceEdit> = object<WorkspaceEdit>({
  changes: list(
    variant<WorkspaceChange>({
      edit: object<Of<"edit">>({ kind: kind("edit"), uri: text, edits: list(textEdit) }),
      create: object<Of<"create">>({ kind: kind("create"), uri: text, overwrite: optional(flag) }),
      rename: object<Of<"rename">>({ kind: kind("rename"), from: text, to: text }),
      delete: object<Of<"delete">>({ kind: kind("delete"), uri: text }),
    }),
  ),
});
