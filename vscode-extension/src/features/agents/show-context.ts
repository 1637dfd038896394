import { QuickPickItemKind, type QuickPickItem, Uri, window } from "vscode";
import type { CommandLine } from "./command-line.js";
import { contextLines, contextReport, contextSum } from "./context-report.js";

interface ContextItem extends QuickPickItem {
  readonly file?: string | undefined;
}

/** Lists what an agent gets in a folder besides the user's words; choosing a line opens the file that it comes from. */
export async function showContext(commandLine: CommandLine, agentId: string, folder: string): Promise<void> {
  const words = ["context", "--json", "--agent", agentId, "--cwd", folder];
  const report = await commandLine.json(words, contextReport, { cwd: folder });
  const items = contextLines(report).flatMap(([label, lines]): ContextItem[] => [
    { label, kind: QuickPickItemKind.Separator },
    ...lines,
  ]);
  const chosen = await window.showQuickPick<ContextItem>(items, {
    title: `What ${agentId} Gets in ${folder}`,
    placeHolder: items.length === 0 ? "Nothing besides your words." : contextSum(report),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen?.file !== undefined) await window.showTextDocument(Uri.file(chosen.file));
}
