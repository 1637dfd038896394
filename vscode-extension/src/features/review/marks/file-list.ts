import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { wordsOfChange } from "./change-words.js";
import { parseOpaque } from "../hunks/opaque-text.js";
import { StoredLines } from "../store/stored-lines.js";
import type { ReviewedFile } from "../review-book.js";
import type { Review } from "../review.js";
import { writersOf } from "../turns/writer-names.js";

interface FileItem extends vscode.QuickPickItem {
  readonly path?: string;
  readonly run?: () => unknown;
}

const keep: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("check"), tooltip: l10n.t("Keep") };
const undo: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("discard"), tooltip: l10n.t("Undo") };

export function listFiles(review: Review): void {
  const list = vscode.window.createQuickPick<FileItem>();
  list.title = l10n.t("Files to Review");
  list.placeholder = l10n.t("Choose a file to open its changes");
  list.keepScrollPosition = true;
  const lines = new StoredLines(answered);
  list.onDidTriggerItemButton(async ({ item: { path }, button }) => {
    if (path !== undefined) await (button === keep ? review.keep(path) : review.undo(path));
    const active = list.items.findIndex((item) => list.activeItems.includes(item));
    list.items = lines.with(linesOf(review, lines));
    if (active !== -1) list.activeItems = list.items.slice(active, active + 1);
  });
  list.onDidAccept(async () => {
    const [chosen] = list.selectedItems;
    list.hide();
    await chosen?.run?.();
  });
  list.onDidHide(() => list.dispose());
  list.items = lines.with(linesOf(review, lines));
  list.show();
}

function linesOf(review: Review, shown: Pick<StoredLines<FileItem>, "has">): Map<string, FileItem> {
  const lines = new Map<string, FileItem>();
  const command = (key: string, icon: string, label: string, run: () => unknown): unknown =>
    lines.set(key, { label: `$(${icon}) ${label}`, run });
  const files = review.book.files();
  if (files.length > 0) {
    const compare = l10n.t("Open all changes");
    command("compare", "diff-multiple", compare, () => review.answer("open", undefined));
    command("keep", "check-all", l10n.t("Keep all changes"), () => review.answer("keep", undefined));
    command("undo", "discard", l10n.t("Undo all changes"), () => review.answer("undo", undefined));
  }
  const [icon, label] = review.allChanges.isOn
    ? ["circle-slash", l10n.t("Stop reviewing all changes")]
    : ["eye", l10n.t("Review all changes, by any writer")];
  command("mode", icon, label, () => review.allChanges.toggle());
  const isShown = ({ path }: ReviewedFile): boolean => shown.has(path);
  for (const file of files.filter(isShown)) lines.set(file.path, itemOf(file));
  const others = files.filter((file) => !isShown(file));
  for (const writer of new Set(others.map(({ tabIds }) => writersOf(tabIds)))) {
    const own = others.filter(({ tabIds }) => writersOf(tabIds) === writer);
    lines.set(`above ${own[0]?.path ?? ""}`, { label: writer, kind: vscode.QuickPickItemKind.Separator });
    for (const file of own) lines.set(file.path, itemOf(file));
  }
  return lines;
}

function itemOf(file: ReviewedFile): FileItem {
  const { path, review } = file;
  const { added, removed } = review.counts;
  const isWhole = [review.baseline, review.current].some((text) => parseOpaque(text) !== undefined);
  return {
    label: vscode.workspace.asRelativePath(path),
    description: [
      ...(isWhole || review.isReviewed ? [] : [`+${added} −${removed}`]),
      ...wordsOf(review.state),
      ...wordsOfChange(file),
    ].join(" "),
    buttons: [keep, undo],
    path,
    run: () => vscode.commands.executeCommand("symposium.review.openFile", { path }),
  };
}

function answered({ label, path, ...line }: FileItem): FileItem {
  return path === undefined ? { label, ...line } : { label, path, description: l10n.t("answered") };
}

function wordsOf(state: "created" | "modified" | "deleted"): string[] {
  if (state === "modified") return [];
  return [state === "created" ? l10n.t("new") : l10n.t("deleted")];
}
