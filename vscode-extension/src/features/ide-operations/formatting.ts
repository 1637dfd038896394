import { type IdeOperationHandlers, messageOf } from "@symposium-dev/core";
import type * as vscode from "vscode";
import { toTextEdit } from "./workspace-edits.js";
import type { Workspace } from "./workspace.js";

/** What formatters would change. */
export function formatOperations({ editor, languages }: Workspace): Required<Pick<IdeOperationHandlers, "format">> {
  return {
    async format({ uri, range }, signal) {
      const document = await editor.open(uri, signal);
      const { state } = await languages.readiness(document, signal);
      const options = editor.formatOptions(document);
      let edits: readonly vscode.TextEdit[] | undefined;
      try {
        edits =
          range === undefined
            ? await editor.ask("vscode.executeFormatDocumentProvider", document.uri, options)
            : await editor.ask("vscode.executeFormatRangeProvider", document.uri, range, options);
      } catch (thrown) {
        return { state, edits: [], refusal: messageOf(thrown) };
      }
      if (edits !== undefined) return { state, edits: edits.map(toTextEdit) };
      const what = range === undefined ? "formats" : "formats a part of";
      return { state, edits: [], refusal: `No installed extension ${what} the language "${document.languageId}".` };
    },
  };
}
