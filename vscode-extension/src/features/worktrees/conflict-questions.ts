import * as l10n from "@vscode/l10n";
import { loadUntrustedBytes, systemCode } from "@symposium-dev/core/node";
import * as vscode from "vscode";
import type { FileText } from "../review/hunks/file-review.js";
import { decodedText, parseOpaque } from "../review/hunks/opaque-text.js";
import { type OpenConflict, taken, theirAnswer } from "./conflict-place.js";
import type { MarkedConflict } from "./conflict-store.js";

interface ConflictAnswers {
  take(id: number): Promise<void>;
  leave(id: number): void;
}

export function isInEditor({ ours }: Pick<MarkedConflict, "ours">): boolean {
  return ours !== null && parseOpaque(ours) === undefined;
}

export async function askWhole(
  answers: ConflictAnswers,
  conflicts: readonly MarkedConflict[],
  options: vscode.MessageOptions,
): Promise<void> {
  const leave: vscode.MessageItem = { title: l10n.t("Keep Mine"), isCloseAffordance: true };
  for (const { id, path, ours, theirs, name } of conflicts.filter((conflict) => !isInEditor(conflict))) {
    const take: vscode.MessageItem = { title: theirAnswer({ theirs }) };
    const file = vscode.workspace.asRelativePath(path);
    const message =
      ours === null
        ? l10n.t("{0} was deleted here and changed in {1}. It stays deleted.", file, name)
        : theirs === null
          ? l10n.t("{0} was changed here and deleted in {1}. Your version is kept.", file, name)
          : l10n.t("{0} isn't text and was changed both here and in {1}. Your version is kept.", file, name);
    const answer = await vscode.window.showWarningMessage(message, options, take, leave);
    if (answer === take) await answers.take(id);
    else if (answer === leave) answers.leave(id);
  }
}

/** Returns whether the file on disk still has the conflict; true if unknown. */
export async function isStanding(conflict: OpenConflict): Promise<boolean> {
  if ([conflict.ours, conflict.theirs].some((text) => text !== null && parseOpaque(text))) return true;
  const text = await textOf(conflict.path);
  return text === undefined || taken(conflict, text) !== undefined;
}

/** Returns a file's text; null for a missing file, undefined for an unreadable or binary file. */
async function textOf(path: string): Promise<FileText | undefined> {
  try {
    return decodedText(await loadUntrustedBytes(path));
  } catch (error) {
    return systemCode(error) === "ENOENT" ? null : undefined;
  }
}
