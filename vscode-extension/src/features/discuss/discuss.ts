import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attachment } from "../../../protocol/index.js";
import { placeInEditor } from "../edit-here/place-in-editor.js";

interface DiscussOptions {
  addContext(attachments: readonly Attachment[]): Promise<void>;
}

const title = l10n.t("Discuss in Symposium");
/** Not a quick fix, so that it is listed after real fixes. */
const kind = vscode.CodeActionKind.Empty.append("discuss");

/** Registers "Discuss in Symposium" for selections in menus and the light bulb, and for files and folders in the explorer. */
export function registerDiscuss(options: DiscussOptions): vscode.Disposable {
  const discussSelection = async (): Promise<void> => {
    const place = placeInEditor();
    // Loaded on first use, since this module is loaded at window startup.
    const { selectionOf } = await import("../context/vscode-editor-context.js");
    const selection = place && selectionOf(place);
    if (selection) await options.addContext([selection]);
    else void vscode.window.showInformationMessage(l10n.t("Select the code to discuss first."));
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
