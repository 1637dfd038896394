import { commands, QuickPickItemKind, type QuickInputButton, type QuickPickItem, ThemeIcon, Uri, window } from "vscode";
import { messageOf } from "@symposium-dev/core";
import type { CommandLine } from "./command-line.js";
import { type ContextReport, contextLines, contextReport, contextSum } from "./context-report.js";

interface ContextItem extends QuickPickItem {
  readonly file?: string | undefined;
  /** The words of the command that switches it. */
  readonly switch?: readonly string[];
}

const offButton: QuickInputButton = { iconPath: new ThemeIcon("circle-slash"), tooltip: "Switch Off" };
const onButton: QuickInputButton = { iconPath: new ThemeIcon("check"), tooltip: "Switch On" };
const toolsButton: QuickInputButton = { iconPath: new ThemeIcon("tools"), tooltip: "Show Its Tools and State" };

/** What an agent gets, where, and with which environment the command is asked. */
interface ContextQuestion {
  readonly agentId: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Lists what an agent gets in a folder besides the user's words. Choosing a line opens the file that it comes from; its button
 * switches it off or on, for all sessions from the next one on.
 */
export async function showContext(commandLine: CommandLine, { agentId, folder, env }: ContextQuestion): Promise<void> {
  // Agents of settings have ids of their own.
  const where = ["--agent", agentId, "--any", "--cwd", folder];
  const read = (): Promise<ContextReport> =>
    commandLine.json(["context", "--json", ...where], contextReport, { cwd: folder, env });
  const report = await read();
  const picker = window.createQuickPick<ContextItem>();
  const show = (shown: ContextReport): void => {
    picker.items = itemsOf(shown);
    picker.placeholder = shown.items.length === 0 ? "Nothing besides your words." : contextSum(shown);
  };
  picker.title = `What ${agentId} Gets in ${folder}`;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  show(report);
  const press = async (words: readonly string[]): Promise<void> => {
    picker.busy = true;
    picker.enabled = false;
    try {
      await commandLine.run([...words, ...where], { cwd: folder, env });
      show(await read());
    } catch (error) {
      void window.showWarningMessage(messageOf(error));
    } finally {
      picker.busy = false;
      picker.enabled = true;
    }
  };
  picker.onDidTriggerItemButton(({ item, button }) => {
    if (button === toolsButton) void commands.executeCommand("symposium.showMcpServers");
    else if (item.switch) void press(item.switch);
  });
  picker.onDidAccept(() => {
    const [chosen] = picker.selectedItems;
    picker.hide();
    if (chosen?.file !== undefined) void window.showTextDocument(Uri.file(chosen.file));
  });
  picker.onDidHide(() => picker.dispose());
  picker.show();
}

function itemsOf(report: ContextReport): readonly ContextItem[] {
  return contextLines(report).flatMap(([label, lines]): ContextItem[] => [
    { label, kind: QuickPickItemKind.Separator },
    ...lines.map(({ switch: own, isServer, ...line }) => ({
      ...line,
      ...(own && { switch: ["context", own.isOff ? "on" : "off", own.name] }),
      buttons: [...(isServer ? [toolsButton] : []), ...(own ? [own.isOff ? onButton : offButton] : [])],
    })),
  ]);
}
