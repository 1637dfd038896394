import * as l10n from "@vscode/l10n";
import { commands, QuickPickItemKind, type QuickInputButton, type QuickPickItem, ThemeIcon, Uri, window } from "vscode";
import { messageOf } from "@symposium-dev/core";
import type { SubcommandRunner } from "./subcommand-runner.js";
import { approveProject } from "./project-approval.js";
import { vscodeApprovalDialog } from "./vscode-approval-dialog.js";
import { type ContextReport, contextLines, contextReport, contextSum } from "./context-report.js";

interface ContextItem extends QuickPickItem {
  readonly file?: string | undefined;
  readonly switch?: readonly string[];
}

const offButton: QuickInputButton = { iconPath: new ThemeIcon("circle-slash"), tooltip: l10n.t("Switch Off") };
const onButton: QuickInputButton = { iconPath: new ThemeIcon("check"), tooltip: l10n.t("Switch On") };
const allowButton: QuickInputButton = {
  iconPath: new ThemeIcon("shield"),
  tooltip: l10n.t("Allow This Project's Configuration"),
};
const toolsButton: QuickInputButton = { iconPath: new ThemeIcon("tools"), tooltip: l10n.t("Show Tools and State") };

interface ContextQuestion {
  readonly agentId: string;
  readonly agentName: string;
  readonly folder: string;
  readonly extensions: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export async function showContext(
  commandLine: SubcommandRunner,
  { agentId, agentName, folder, extensions, env }: ContextQuestion,
): Promise<void> {
  // `--any` makes the command accept custom agent ids from the settings.
  const where = ["--agent", agentId, "--any", "--cwd", folder, "--extensions", extensions.join(",")];
  const read = (): Promise<ContextReport> =>
    commandLine.json(["context", "--json", ...where], contextReport, { cwd: folder, env });
  const report = await read();
  const picker = window.createQuickPick<ContextItem>();
  const show = (shown: ContextReport): void => {
    picker.items = itemsOf(shown);
    picker.placeholder = shown.items.length === 0 ? l10n.t("Nothing but your prompts.") : contextSum(shown);
  };
  picker.title = l10n.t("Context for {0} in {1}", agentName, folder);
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  show(report);
  let isAsking = false;
  const press = async (change: () => Promise<unknown>): Promise<void> => {
    picker.busy = true;
    picker.enabled = false;
    try {
      await change();
      show(await read());
    } catch (error) {
      void window.showWarningMessage(messageOf(error));
    } finally {
      picker.busy = false;
      picker.enabled = true;
    }
  };
  picker.onDidTriggerItemButton(({ item, button }) => {
    const allow = async (): Promise<void> => {
      isAsking = true;
      await press(() => approveProject(commandLine, folder, vscodeApprovalDialog));
      isAsking = false;
      picker.show();
    };
    if (button === toolsButton) void commands.executeCommand("symposium.showMcpServers");
    else if (button === allowButton) void allow();
    else if (item.switch) {
      const words = [...item.switch, ...where];
      void press(() => commandLine.run(words, { cwd: folder, env }));
    }
  });
  picker.onDidAccept(() => {
    const [chosen] = picker.selectedItems;
    picker.hide();
    if (chosen?.file !== undefined) void window.showTextDocument(Uri.file(chosen.file));
  });
  // A question about the project hides the list; the list reopens with the result.
  picker.onDidHide(() => {
    if (!isAsking) picker.dispose();
  });
  picker.show();
}

function itemsOf(report: ContextReport): readonly ContextItem[] {
  return contextLines(report).flatMap(([label, lines]): ContextItem[] => [
    { label, kind: QuickPickItemKind.Separator },
    ...lines.map(({ switch: own, isServer, needsApproval, ...line }) => ({
      ...line,
      ...(own && { switch: ["context", own.isOff ? "on" : "off", own.name] }),
      buttons: [
        ...(needsApproval ? [allowButton] : []),
        ...(isServer ? [toolsButton] : []),
        ...(own ? [own.isOff ? onButton : offButton] : []),
      ],
    })),
  ]);
}
