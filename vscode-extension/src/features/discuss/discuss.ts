import * as vscode from "vscode";
import type { Attachment } from "../../../protocol/index.js";
import { placeInEditor } from "../edit-here/place-in-editor.js";

interface DiscussOptions {
  /** Adds to the draft of the current tab, which opens if need be, and moves the focus there. */
  addContext(attachments: readonly Attachment[]): Promise<void>;
}

const title = "Discuss in Symposium";
/** Not a quick fix: it comes after what mends the code. */
const kind = vscode.CodeActionKind.Empty.append("discuss");

/** "Discuss in Symposium": for a selection in menus and the light bulb, for files and folders in the explorer. */
export function registerDiscuss(options: DiscussOptions): vscode.Disposable {
  const discussSelection = async (): Promise<void> => {
    const place = placeInEditor();
    // This file is loaded with the window; what it needs is loaded at its first use.
    const { selectionOf } = await import("../context/vscode-editor-context.js");
    const selection = place && selectionOf(place);
    if (selection) await options.addContext([selection]);
    else void vscode.window.showInformationMessage("Select the code to discuss first.");
  };
  const discussFiles = async (one: vscode.Uri | undefined, all: readonly vscode.Uri[] | undefined): Promise<void> => {
    const active = vscode.window.activeTextEditor?.document.uri;
    const { droppedAttachments } = await import("../context/content-blocks.js");
    const uris = all ?? [one ?? active].filter((uri) => uri !== undefined);
    const attachments = await droppedAttachments(uris.map((uri) => uri.toString()));
    if (attachments.length > 0) await options.addContext(attachments);
  };
  return vscode.Disposable.from(
    vscode.commands.registerCommand("symposium.discussSelection", discussSelection),
    vscode.commands.registerCommand("symposium.discussFiles", discussFiles),
    vscode.languages.registerCodeActionsProvider({ scheme: "*" }, new DiscussActions(), {
      providedCodeActionKinds: [kind],
    }),
  );
}

class DiscussActions implements vscode.CodeActionProvider {
  provideCodeActions(_document: vscode.TextDocument, range: vscode.Range | vscode.Selection): vscode.CodeAction[] {
    if (range.isEmpty) return [];
    const action = new vscode.CodeAction(title, kind);
    action.command = { command: "symposium.discussSelection", title };
    return [action];
  }
}
