import { type Selection, type TextDocument, window } from "vscode";

export interface PlaceInEditor {
  readonly document: TextDocument;
  readonly selection: Selection;
}

/**
 * Returns the user's position, or undefined outside text editors. Call at the start of a command, before any await, since the user can move
 * on.
 */
export function placeInEditor(): PlaceInEditor | undefined {
  const editor = window.activeTextEditor;
  return editor && { document: editor.document, selection: editor.selection };
}
