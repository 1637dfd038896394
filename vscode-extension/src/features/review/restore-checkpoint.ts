import * as vscode from "vscode";
import type { FileText } from "./engine/file-review.js";
import type { Review } from "./review.js";

/**
 * Puts the files that a tab's agent changed since a prompt back to what they were before it, after the user has agreed.
 * What is replaced is offered back at once, so a restore can be undone too.
 */
export async function restoreCheckpoint(review: Review, tabId: string, messageId: string): Promise<void> {
  if (review.isRunning(tabId)) {
    // What the agent writes next would be a mixture of two states of the files.
    const message = vscode.l10n.t("The agent is still at work. Stop it first, then restore the files.");
    await vscode.window.showWarningMessage(message, { modal: true });
    return;
  }
  const files = review.checkpoints.before(tabId, messageId);
  if (!files) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t("The files before this prompt are not known any more. Use the history of your version control."),
    );
    return;
  }
  const now = new Map<string, FileText>();
  const withOwnEdits: string[] = [];
  for (const [path, { before, after }] of files) {
    const text = await review.texts.read(path);
    if (text === undefined || text === before) continue;
    now.set(path, text);
    if (text !== after) withOwnEdits.push(vscode.workspace.asRelativePath(path));
  }
  if (now.size === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("The files are as they were before this prompt."));
    return;
  }
  const names = [...now.keys()].map((path) => vscode.workspace.asRelativePath(path)).join("\n");
  const warning =
    withOwnEdits.length === 0
      ? ""
      : `\n\n${vscode.l10n.t("Changed since by somebody else, which is lost too: {0}", withOwnEdits.join(", "))}`;
  const restore = vscode.l10n.t("Restore {0} files", now.size);
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("Put these files back to what they were before this prompt?"),
    { modal: true, detail: names + warning },
    restore,
  );
  if (answer !== restore) return;
  const back = new Map([...now.keys()].map((path) => [path, files.get(path)?.before ?? null] as const));
  await writeAll(review, tabId, back);
  const undo = vscode.l10n.t("Undo the restore");
  const undone = await vscode.window.showInformationMessage(vscode.l10n.t("{0} files restored.", back.size), undo);
  if (undone === undo) await writeAll(review, tabId, now);
}

async function writeAll(review: Review, tabId: string, texts: ReadonlyMap<string, FileText>): Promise<void> {
  for (const [path, text] of texts) {
    const before = (await review.texts.read(path)) ?? null;
    // Told before it is written: the editor's own report of the change then says nothing new.
    review.book.agentChanged(tabId, path, before, text);
    if (!(await review.texts.write(path, text))) review.book.userChanged(path, before);
  }
}
