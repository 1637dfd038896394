import * as vscode from "vscode";
import { wordsOfChange } from "./change-words.js";
import { parseOpaque } from "./engine/opaque-text.js";
import type { Review } from "./review.js";
import { writersOf } from "./writer-names.js";

interface FileItem extends vscode.QuickPickItem {
  readonly path?: string;
  readonly run?: () => unknown;
}

const keep: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("check"), tooltip: vscode.l10n.t("Keep") };
const undo: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("discard"), tooltip: vscode.l10n.t("Undo") };

/** The files that wait for an answer, by who changed them; each to be opened, kept or undone. */
export function listFiles(review: Review): void {
  const list = vscode.window.createQuickPick<FileItem>();
  list.title = vscode.l10n.t("Files to Review");
  list.placeholder = vscode.l10n.t("Choose a file to compare it with what it was");
  const refresh = (): void => {
    list.items = itemsOf(review);
  };
  list.onDidTriggerItemButton(async ({ item: { path }, button }) => {
    if (path !== undefined) await (button === keep ? review.keep(path) : review.undo(path));
    refresh();
  });
  list.onDidAccept(async () => {
    const [chosen] = list.selectedItems;
    list.hide();
    await chosen?.run?.();
  });
  list.onDidHide(() => list.dispose());
  refresh();
  list.show();
}

function itemsOf(review: Review): FileItem[] {
  const files = review.book.files();
  const byWriter = new Map<string, FileItem[]>();
  for (const file of files) {
    const { path, tabIds, review: changes } = file;
    const { added, removed } = changes.counts;
    const isWhole = [changes.baseline, changes.current].some((text) => parseOpaque(text) !== undefined);
    const item: FileItem = {
      label: vscode.workspace.asRelativePath(path),
      description: [
        ...(isWhole || changes.isReviewed ? [] : [`+${added} −${removed}`]),
        ...wordsOf(changes.state),
        ...wordsOfChange(file),
      ].join(" "),
      buttons: [keep, undo],
      path,
      run: () => vscode.commands.executeCommand("symposium.review.openFile", { path }),
    };
    const writer = writersOf(tabIds);
    byWriter.set(writer, [...(byWriter.get(writer) ?? []), item]);
  }
  const command = (icon: string, label: string, run: () => unknown): FileItem => ({
    label: `$(${icon}) ${label}`,
    run,
  });
  return [
    ...(files.length === 0
      ? []
      : [
          command("diff-multiple", vscode.l10n.t("Compare all files with what they were"), () =>
            review.answer("open", undefined),
          ),
          command("check-all", vscode.l10n.t("Keep all changes"), () => review.answer("keep", undefined)),
          command("discard", vscode.l10n.t("Undo all changes"), () => review.answer("undo", undefined)),
        ]),
    review.allChanges.isOn
      ? command("circle-slash", vscode.l10n.t("Stop reviewing all changes"), () => review.allChanges.toggle())
      : command("eye", vscode.l10n.t("Review all changes, whoever writes"), () => review.allChanges.toggle()),
    ...[...byWriter].flatMap(([label, items]) => [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items]),
  ];
}

function wordsOf(state: "created" | "modified" | "deleted"): string[] {
  if (state === "modified") return [];
  return [state === "created" ? vscode.l10n.t("new") : vscode.l10n.t("deleted")];
}
