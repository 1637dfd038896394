import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { ChatTab } from "../chat/chat-tab.js";
import type { FoundWorktree } from "./worktrees.js";

type WorktreeAction = "tab" | "window" | "remove";

export async function chooseWorktree(
  found: readonly FoundWorktree[],
  tabs: readonly ChatTab[],
): Promise<{ readonly worktree: FoundWorktree; readonly action: WorktreeAction } | undefined> {
  const toWindow = { iconPath: new vscode.ThemeIcon("empty-window"), tooltip: l10n.t("Open in a New Window") };
  const toTrash = { iconPath: new vscode.ThemeIcon("trash"), tooltip: l10n.t("Remove…") };
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly worktree: FoundWorktree }>();
  pick.title = l10n.t("Manage Worktrees");
  pick.placeholder = l10n.t("Press Enter to open its chat");
  pick.items = found.map((worktree) => {
    const tab = tabs.find(({ record }) => record.worktree?.root === worktree.root);
    const state = worktree.isMissing ? l10n.t("removed outside VS Code") : (tab?.state.title ?? l10n.t("no open chat"));
    const buttons = worktree.isMissing ? [toTrash] : [toWindow, toTrash];
    return {
      worktree,
      label: worktree.name,
      description: worktree.branch,
      detail: `${state} · ${worktree.root}`,
      buttons,
    };
  });
  try {
    return await new Promise((resolve) => {
      pick.onDidTriggerItemButton(({ item, button }) =>
        resolve({ worktree: item.worktree, action: button === toTrash ? "remove" : "window" }),
      );
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        if (item) resolve({ worktree: item.worktree, action: item.worktree.isMissing ? "remove" : "tab" });
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}
