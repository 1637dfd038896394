import { commands, type QuickInputButton, type QuickPickItem, ThemeIcon, Uri, window, workspace } from "vscode";
import type { ChatTabs } from "../chat/chat-tabs.js";
import { type EmptyHistory, emptyHistory, HistorySearch } from "./history-search.js";
import { Journal } from "./journal.js";
import type { TabArchive } from "./tab-archive.js";
import type { TabSummary } from "./tab-summary.js";
import { toJson, toMarkdown } from "./transcript-export.js";

/** A line of the list: a past session, or the words that stand where there is none. */
interface HistoryItem extends QuickPickItem {
  readonly summary?: TabSummary;
  readonly leadsTo?: EmptyHistory["leadsTo"];
}

const rename: QuickInputButton = { iconPath: new ThemeIcon("edit"), tooltip: "Rename" };
const exportButton: QuickInputButton = { iconPath: new ThemeIcon("export"), tooltip: "Export" };
const remove: QuickInputButton = { iconPath: new ThemeIcon("trash"), tooltip: "Delete" };

/** The list of closed tabs: found by what was said in them, opened again, renamed, exported, deleted. */
export class HistoryPicker {
  constructor(
    private readonly archive: TabArchive,
    private readonly tabs: ChatTabs,
  ) {}

  async show(): Promise<void> {
    const picker = window.createQuickPick<HistoryItem>();
    picker.title = "Conversations";
    picker.placeholder = "Search in titles and in what was said";
    picker.busy = true;
    picker.show();
    let search = await this.#search();
    let asked = 0;
    // Dialogs take the list's place for a while.
    let isAside = false;
    const update = async (): Promise<void> => {
      const turn = ++asked;
      picker.busy = true;
      const matches = await search.find(picker.value);
      if (turn !== asked) return;
      const empty = { ...emptyHistory(picker.value, search.total), alwaysShow: true };
      picker.items = matches.length === 0 ? [empty] : matches.map(({ summary, snippet }) => itemOf(summary, snippet));
      picker.busy = false;
    };
    let updating = update();
    picker.onDidChangeValue(() => {
      updating = update();
    });
    picker.onDidHide(() => {
      if (!isAside) picker.dispose();
    });
    picker.onDidAccept(async () => {
      const [chosen] = picker.selectedItems;
      // Whoever types and presses Enter at once means the list of what was typed, not the one still in sight.
      await updating;
      const found = picker.items.find(({ summary }) => summary?.record.tabId === chosen?.summary?.record.tabId);
      const { summary, leadsTo } = found ?? picker.items[0] ?? {};
      if (leadsTo === "all sessions") {
        picker.value = "";
        updating = update();
        return;
      }
      picker.hide();
      if (summary) await this.#reopen(summary);
      else if (leadsTo === "new chat") await commands.executeCommand("symposium.newTab");
    });
    picker.onDidTriggerItemButton(async ({ item: { summary }, button }) => {
      if (!summary) return;
      isAside = true;
      try {
        if (button === exportButton) await exportSummary(this.archive, summary);
        else if (button === rename) await this.#rename(summary);
        else await this.#delete(summary);
      } finally {
        isAside = false;
        picker.show();
      }
      search = await this.#search();
      await update();
    });
    await updating;
  }

  /** Opens a closed tab again. */
  async reopen(tabId: string): Promise<void> {
    await this.tabs.whenClosed();
    const summary = (await this.archive.summaries()).find(({ record }) => record.tabId === tabId);
    if (summary) await this.#reopen(summary);
    else void window.showWarningMessage("That conversation was deleted.");
  }

  async #search(): Promise<HistorySearch> {
    await this.tabs.whenClosed();
    const open = new Set(this.tabs.tabIds);
    const closed = (await this.archive.summaries()).filter(
      ({ record, prompts }) => !open.has(record.tabId) && prompts > 0,
    );
    return new HistorySearch(closed, (tabId) => this.archive.journalOf(tabId));
  }

  async #reopen(summary: TabSummary): Promise<void> {
    const { tabId } = summary.record;
    const stored = (await this.archive.claim(tabId)) ? await this.archive.load(summary) : undefined;
    if (!stored) {
      await this.archive.release(tabId);
      void window.showWarningMessage(`"${summary.title}" is open in another window, or cannot be read.`);
      return;
    }
    this.tabs.restore(stored);
    this.tabs.select(tabId);
  }

  async #rename(summary: TabSummary): Promise<void> {
    const title = await window.showInputBox({ title: "New title", value: summary.title });
    if (title === undefined || title.trim() === "") return;
    if (!(await this.archive.rename(summary, title.trim())))
      void window.showWarningMessage(`"${summary.title}" is open and was not renamed here.`);
  }

  async #delete(summary: TabSummary): Promise<void> {
    const question = `Delete "${summary.title}"? This cannot be undone.`;
    if ((await window.showWarningMessage(question, { modal: true }, "Delete")) !== "Delete") return;
    if (!(await this.archive.delete(summary.record.tabId)))
      void window.showWarningMessage(`"${summary.title}" is open and was not deleted.`);
  }
}

/** Saves a stored transcript where the user says, as Markdown or JSON by the name of the file. */
async function exportSummary(archive: TabArchive, { record, title }: TabSummary): Promise<void> {
  const content = await Journal.read(archive.journalOf(record.tabId));
  if (content) await exportTranscript(title, content.transcript);
}

/** Asks where to, and writes the transcript there. */
export async function exportTranscript(title: string, transcript: Parameters<typeof toMarkdown>[0]): Promise<void> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const name = `${
    title
      .replaceAll(/[^\p{L}\p{N} ._-]/gu, "")
      .trim()
      .slice(0, 60) || "session"
  }.md`;
  const target = await window.showSaveDialog({
    title: "Export session",
    filters: { Markdown: ["md"], JSON: ["json"] },
    ...(folder ? { defaultUri: Uri.joinPath(folder, name) } : {}),
  });
  if (!target) return;
  const text = target.path.endsWith(".json") ? toJson(transcript) : toMarkdown(transcript);
  await workspace.fs.writeFile(target, new TextEncoder().encode(text));
}

function itemOf(summary: TabSummary, snippet: string): HistoryItem {
  const when = new Date(summary.updatedAt).toLocaleString();
  const prompts = summary.prompts === 1 ? "1 prompt" : `${summary.prompts} prompts`;
  return {
    label: summary.title,
    description: `${summary.agentName} · ${prompts} · ${when}`,
    ...(snippet === "" ? {} : { detail: snippet }),
    // The search has matched already, in more than the list shows.
    alwaysShow: true,
    buttons: [rename, exportButton, remove],
    summary,
  };
}
