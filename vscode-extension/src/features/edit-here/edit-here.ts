import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { changedRange } from "../documents/changed-range.js";
import type { AskAgent } from "../language-model/ask-with-progress.js";
import type { EditHereChanges } from "../review/edit-here-changes.js";
import { editPrompt, type Lines, linesIn, linesNow } from "./edited-lines.js";
import type { PlaceInEditor } from "./place-in-editor.js";

/**
 * Implements "Edit Here": asks the current agent to rewrite lines, in a separate session, and leaves the result unsaved and under review.
 * The agent itself writes no file, and the tab's conversation isn't affected.
 */
export async function editHere(
  ask: AskAgent,
  review: EditHereChanges,
  place: PlaceInEditor | undefined,
): Promise<void> {
  if (place?.document.uri.scheme !== "file") {
    void vscode.window.showInformationMessage(l10n.t("Open a file and select the lines to edit first."));
    return;
  }
  const { document } = place;
  const lines = linesOf(place.selection);
  const were = textOf(document).slice(lines.start, lines.end + 1);
  const [first, last] = [lines.start + 1, lines.end + 1];
  const wish = await vscode.window.showInputBox({
    title: first === last ? l10n.t("Edit Line {0}", first) : l10n.t("Edit Lines {0} to {1}", first, last),
    prompt: l10n.t("How should these lines change? You review the result in the editor."),
    ignoreFocusOut: true,
  });
  if (wish === undefined || wish.trim() === "") return;
  const label = vscode.workspace.asRelativePath(document.uri);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath;
  const prompt = editPrompt({ label, languageId: document.languageId, text: textOf(document), lines, wish });
  const where = folder ?? vscode.Uri.joinPath(document.uri, "..").fsPath;
  const answer = await ask(prompt, where, (agentName) =>
    first === last
      ? l10n.t("{0} edits line {1} of {2}", agentName, first, label)
      : l10n.t("{0} edits lines {1} to {2} of {3}", agentName, first, last, label),
  );
  if (answer === undefined) return;
  const edited = linesIn(answer);
  if (!edited) {
    void vscode.window.showWarningMessage(
      l10n.t("The agent suggested no new text for these lines: {0}", answer.trim()),
    );
    return;
  }
  await put(document.uri, lines, were, edited, review);
}

/** Inserts the new lines into the document, which may have changed since the request. */
async function put(
  uri: vscode.Uri,
  lines: Lines,
  were: readonly string[],
  edited: readonly string[],
  review: EditHereChanges,
): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const now = linesNow(textOf(document), were, lines);
  if (!now) {
    const copy = l10n.t("Copy New Lines");
    const text = l10n.t("These lines have changed since you asked, so the agent's edit wasn't applied.");
    if ((await vscode.window.showWarningMessage(text, copy)) === copy)
      await vscode.env.clipboard.writeText(edited.join("\n"));
    return;
  }
  const before = document.getText();
  const after = withLines(document, now, edited);
  if (after === before) {
    vscode.window.setStatusBarMessage(l10n.t("The agent left these lines unchanged."), 4_000);
    return;
  }
  const { from, to, inserted } = changedRange(before, after);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(document.positionAt(from), document.positionAt(to)), inserted);
  // Report the change first, so that the editor's change event isn't taken for a new edit.
  review.proposed(uri.fsPath, before, after);
  if (!(await vscode.workspace.applyEdit(edit))) {
    review.withdrawn(uri.fsPath, document.getText());
    void vscode.window.showWarningMessage(l10n.t("The editor didn't accept the new lines. Try again."));
    return;
  }
  const shown = await vscode.window.showTextDocument(document, { preserveFocus: true });
  shown.revealRange(
    new vscode.Range(now.start, 0, now.start, 0),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}

/** Returns the selected lines. If the selection ends at the start of a line, that line isn't included. */
function linesOf({ start, end }: vscode.Selection): Lines {
  const isOut = end.character === 0 && end.line > start.line;
  return { start: start.line, end: isOut ? end.line - 1 : end.line };
}

function textOf(document: vscode.TextDocument): readonly string[] {
  return document.getText().split(/\r\n|\n/u);
}

function withLines(document: vscode.TextDocument, { start, end }: Lines, edited: readonly string[]): string {
  const lineEnd = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const text = textOf(document);
  return [...text.slice(0, start), ...edited, ...text.slice(end + 1)].join(lineEnd);
}
