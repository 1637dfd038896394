import { commands, QuickPickItemKind, type QuickInputButton, type QuickPickItem, ThemeIcon, Uri, window } from "vscode";
import { messageOf } from "@symposium-dev/core";
import type { CommandLine } from "./command-line.js";
import { approveProject } from "./project-approval.js";
import { vscodeApprovalDialog } from "./vscode-approval-dialog.js";
import { type ContextReport, contextLines, contextReport, contextSum } from "./context-report.js";

interface ContextItem extends QuickPickItem {
  readonly file?: string | undefined;
  /** The words of the command that switches it. */
  readonly switch?: readonly string[];
}

const offButton: QuickInputButton = { iconPath: new ThemeIcon("circle-slash"), tooltip: "Switch Off" };
const onButton: QuickInputButton = { iconPath: new ThemeIcon("check"), tooltip: "Switch On" };
const allowButton: QuickInputButton = {
  iconPath: new ThemeIcon("shield"),
  tooltip: "Allow This Project's Configuration",
};
const toolsButton: QuickInputButton = { iconPath: new ThemeIcon("tools"), tooltip: "Show Its Tools and State" };

/** What an agent gets, where, and with which environment the command is asked. */
interface ContextQuestion {
  readonly agentId: string;
  /** As people know it. */
  readonly agentName: string;
  readonly folder: string;
  /** Names of the extensions that are on. */
  readonly extensions: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Lists what an agent gets in a folder besides the user's words. Choosing a line opens the file that it comes from; its button
 * switches it off or on, for all sessions from the next one on.
 */
export async function showContext(
  commandLine: CommandLine,
  { agentId, agentName, folder, extensions, env }: ContextQuestion,
): Promise<void> {
  // Agents of settings have ids of their own.
  const where = ["--agent", agentId, "--any", "--cwd", folder, "--extensions", extensions.join(",")];
  const read = (): Promise<ContextReport> =>
    commandLine.json(["context", "--json", ...where], contextReport, { cwd: folder, env });
  const report = await read();
  const picker = window.createQuickPick<ContextItem>();
  const show = (shown: ContextReport): void => {
    picker.items = itemsOf(shown);
    picker.placeholder = shown.items.length === 0 ? "Nothing besides your words." : contextSum(shown);
  };
  picker.title = `What ${agentName} Gets in ${folder}`;
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
  // A question about a project hides it: it comes back with what is allowed.
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
