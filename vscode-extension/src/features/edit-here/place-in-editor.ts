import { type Selection, type TextDocument, window } from "vscode";

/** Where the user is in an editor. */
export interface PlaceInEditor {
  readonly document: TextDocument;
  readonly selection: Selection;
}

/**
 * Where the user is now; undefined where that is no editor of text. To be asked at the beginning of a command, before it waits
 * for anything: the user goes on meanwhile.
 */
export function placeInEditor(): PlaceInEditor | undefined {
  const editor = window.activeTextEditor;
  return editor && { document: editor.document, selection: editor.selection };
}
