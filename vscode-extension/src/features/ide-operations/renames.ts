import { type IdeOperationHandlers, messageOf } from "@symposium-dev/core";
import { toWorkspaceEdit } from "./workspace-edits.js";
import type { Workspace } from "./workspace.js";

/** Renames, as edits that are not made. */
export function renameOperations({ editor, languages }: Workspace): Required<Pick<IdeOperationHandlers, "rename">> {
  return {
    async rename({ uri, position, newName }, signal) {
      const document = await editor.open(uri, signal);
      let refusal = "Nothing can be renamed here.";
      const { items, state } = await languages.answer({ document, signal, isWhole: true }, async () => {
        try {
          const edit = await editor.ask("vscode.executeDocumentRenameProvider", document.uri, position, newName);
          const changes = edit && toWorkspaceEdit(edit)?.changes;
          if (changes === undefined) refusal = "The extension's edit holds more than text and files.";
          return changes ?? [];
        } catch (thrown) {
          refusal = messageOf(thrown);
          return [];
        }
      });
      return items.length === 0 ? { state, edit: null, refusal } : { state, edit: { changes: items } };
    },
  };
}
