import * as l10n from "@vscode/l10n";
import {
  commands,
  type QuickInputButton,
  type QuickPick,
  type QuickPickItem,
  QuickPickItemKind,
  ThemeIcon,
  Uri,
  window,
  workspace,
} from "vscode";
import { basename } from "node:path";
import { messageOf } from "@symposium-dev/core";
import { ChatTab } from "../chat/chat-tab.js";
import type { ChatTabs } from "../chat/chat-tabs.js";
import { waitForWindow } from "../pages/wait-for-window.js";
import type { ConversationHistory } from "./conversation-history.js";
import { DrawnLines } from "./pressed-line.js";
import {
  type EmptyHistory,
  emptyHistory,
  type HistorySearch,
  moreMatches,
  type PastConversation,
} from "./history-search.js";
import { toJson, toMarkdown } from "./transcript-export.js";

interface HistoryItem extends QuickPickItem {
  readonly past?: PastConversation;
  readonly leadsTo?: EmptyHistory["leadsTo"];
}

const rename: QuickInputButton = { iconPath: new ThemeIcon("edit"), tooltip: l10n.t("Rename") };
const exportButton: QuickInputButton = { iconPath: new ThemeIcon("export"), tooltip: l10n.t("Export") };
const remove: QuickInputButton = { iconPath: new ThemeIcon("trash"), tooltip: l10n.t("Delete") };

export class HistoryPicker {
  constructor(
    private readonly history: ConversationHistory,
    private readonly tabs: ChatTabs,
    private readonly reveal: (tabId: string) => Promise<void>,
  ) {}

  async show(): Promise<void> {
    const picker = window.createQuickPick<HistoryItem>();
    picker.title = l10n.t("Conversations");
    picker.placeholder = l10n.t("Search titles and messages");
    picker.busy = true;
    let isAside = false;
    const closed = new AbortController();
    picker.onDidHide(() => {
      if (isAside) return;
      closed.abort();
      picker.dispose();
    });
    picker.show();
    const search = await this.history.search().catch((thrown: unknown) => {
      picker.dispose();
      throw thrown;
    });
    if (closed.signal.aborted) return;
    const found = new FoundConversations(picker, search);
    picker.onDidAccept(async () => {
      const accepted = await found.accepted();
      if (!accepted) return;
      const { past, leadsTo } = accepted;
      if (leadsTo === "all sessions") {
        found.showAll();
        return;
      }
      picker.hide();
      if (past) await this.#reopen(past);
      else if (leadsTo === "new chat") await commands.executeCommand("symposium.newTab");
    });
    picker.onDidTriggerItemButton(async ({ item, button }) => {
      const past = found.meant(item)?.past;
      if (!past) return;
      isAside = true;
      try {
        if (button === exportButton) await this.#export(past);
        else if (button === rename) await this.#rename(past);
        else await this.#delete(past);
      } finally {
        isAside = false;
        picker.show();
      }
      await found.searchAgain(await this.history.search());
    });
    await found.shown;
  }

  async reopen(tabId: string): Promise<void> {
    const known = await this.history.closed(tabId);
    if (known) await this.#reopen(known);
    else void window.showWarningMessage(l10n.t("That conversation was deleted."));
  }

  /** Returns the title of a stored conversation, or undefined for an unknown id. */
  async titleOf(id: string): Promise<string | undefined> {
    const known = await this.history.kept(id);
    return known instanceof ChatTab ? known.state.title : known?.title;
  }

  /** Opens a stored conversation. Returns its tab id, or undefined if the conversation can't be opened. */
  async openKept(id: string): Promise<string | undefined> {
    const known = await this.history.kept(id);
    if (known instanceof ChatTab) return known.tabId;
    if (known) return this.#reopen(known);
    void window.showWarningMessage(l10n.t("That conversation was deleted."));
    return undefined;
  }

  async export(tab: ChatTab | undefined): Promise<void> {
    if (tab) await exportTranscript(tab.state.title, tab.transcript.transcript);
  }

  async #reopen(past: PastConversation): Promise<string | undefined> {
    if (past.open) {
      await this.reveal(past.open.tabId);
      return past.open.tabId;
    }
    const stored = await this.history.open(past);
    if (!stored) {
      void window.showWarningMessage(l10n.t('"{0}" is open in another window or can\'t be read.', past.title));
      return undefined;
    }
    const { tabId } = this.tabs.restore(stored);
    await this.reveal(tabId);
    return tabId;
  }

  async #rename(past: PastConversation): Promise<void> {
    const title = await window.showInputBox({ title: l10n.t("New title"), value: past.title });
    if (title === undefined || title.trim() === "") return;
    await this.#change(l10n.t('"{0}" was not renamed', past.title), () => this.history.rename(past, title.trim()));
  }

  async #delete(past: PastConversation): Promise<void> {
    const question = l10n.t('Delete "{0}"? This can\'t be undone.', past.title);
    const button = l10n.t("Delete");
    if ((await window.showWarningMessage(question, { modal: true }, button)) !== button) return;
    await this.#change(l10n.t('"{0}" was not deleted', past.title), () => this.history.delete(past));
  }

  async #change(failed: string, change: () => Promise<boolean>): Promise<void> {
    try {
      if (!(await change())) void window.showWarningMessage(l10n.t("{0}: it is open in another window.", failed));
    } catch (thrown) {
      void window.showWarningMessage(`${failed}. ${messageOf(thrown)}`);
    }
  }

  async #export(past: PastConversation): Promise<void> {
    const transcript = await this.history.transcript(past);
    if (transcript) await exportTranscript(past.title, transcript);
    else void window.showWarningMessage(l10n.t('Couldn\'t read "{0}".', past.title));
  }
}

class FoundConversations {
  readonly #lines = new DrawnLines<HistoryItem>(waitForWindow);
  /** Line that the user pressed last; undefined if a press in a replaced list belongs to no line. */
  #chosen: HistoryItem | undefined;
  #asked = 0;
  shown: Promise<void>;

  constructor(
    private readonly picker: QuickPick<HistoryItem>,
    private search: HistorySearch,
  ) {
    picker.onDidChangeSelection(([item]) => {
      this.#chosen = item && this.meant(item);
    });
    this.shown = this.#update();
    picker.onDidChangeValue(() => {
      this.shown = this.#update();
    });
  }

  /** Returns the line that the user sees in place of `item`; see {@link DrawnLines.meant}. */
  meant(item: HistoryItem): HistoryItem | undefined {
    return this.#lines.meant(item);
  }

  /** Returns the line that Enter selects: the pressed line, by default the first. Returns undefined if the user has to press again. */
  async accepted(): Promise<Pick<HistoryItem, "past" | "leadsTo"> | undefined> {
    const pressed = this.#chosen;
    if (!pressed && this.#lines.isBehind) return undefined;
    // If the user presses Enter right after typing, select from the new search's results, not from the results still shown.
    await this.shown;
    const { items } = this.picker;
    return items.find(({ past }) => past !== undefined && past === pressed?.past) ?? items[0] ?? {};
  }

  showAll(): void {
    this.picker.value = "";
    this.shown = this.#update();
  }

  async searchAgain(search: HistorySearch): Promise<void> {
    this.search = search;
    await this.#update();
  }

  async #update(): Promise<void> {
    const { picker, search } = this;
    const turn = ++this.#asked;
    picker.busy = true;
    const matches = await search.find(picker.value, () => turn === this.#asked);
    if (turn !== this.#asked) return;
    const empty = { ...emptyHistory(picker.value, search.total), alwaysShow: true };
    const more = moreMatches(matches.length, search.total);
    const items = [
      ...(matches.length === 0 ? [empty] : matches.map(({ past, snippet }) => itemOf(past, snippet))),
      ...(more === undefined ? [] : [{ label: more, kind: QuickPickItemKind.Separator }]),
    ];
    picker.items = items;
    picker.busy = false;
    void this.#lines.gave(items);
  }
}

async function exportTranscript(title: string, transcript: Parameters<typeof toMarkdown>[0]): Promise<void> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const name = `${
    title
      .replaceAll(/[^\p{L}\p{N} ._-]/gu, "")
      .trim()
      .slice(0, 60) || "session"
  }.md`;
  const target = await window.showSaveDialog({
    title: l10n.t("Export session"),
    filters: { Markdown: ["md"], JSON: ["json"] },
    ...(folder ? { defaultUri: Uri.joinPath(folder, name) } : {}),
  });
  if (!target) return;
  const text = target.path.endsWith(".json") ? toJson(transcript) : toMarkdown(transcript);
  await workspace.fs.writeFile(target, new TextEncoder().encode(text));
}

function itemOf(past: PastConversation, snippet: string): HistoryItem {
  const { title, agentName, prompts, folder, updatedAt, open } = past;
  const here = workspace.workspaceFolders?.some(({ uri }) => uri.fsPath === folder) === true;
  const facts = [
    ...(open ? ["open"] : []),
    agentName,
    prompts === 1 ? "1 prompt" : `${prompts} prompts`,
    ...(folder === undefined || here ? [] : [basename(folder)]),
    new Date(updatedAt).toLocaleString(),
  ];
  return {
    label: title,
    ...(open && { iconPath: new ThemeIcon("comment-discussion") }),
    description: facts.join(" · "),
    ...(snippet === "" ? {} : { detail: snippet }),
    // The search has already matched more text than the list shows, so VS Code must not filter.
    alwaysShow: true,
    buttons: open ? [exportButton] : [rename, exportButton, remove],
    past,
  };
}
