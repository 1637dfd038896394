import * as l10n from "@vscode/l10n";
import {
  commands,
  type QuickInputButton,
  type QuickPick,
  type QuickPickItem,
  type QuickPickItemButtonEvent,
  QuickPickItemKind,
  ThemeIcon,
  Uri,
  window,
  workspace,
} from "vscode";
import { messageOf } from "@symposium-dev/core";
import { byteCount, WorktreeSizes } from "@symposium-dev/core/node";
import type { HostedSession } from "../../acp/hosted-sessions.js";
import { ChatTab } from "../chat/chat-tab.js";
import type { ChatTabs } from "../chat/chat-tabs.js";
import { waitForWindow } from "../pages/wait-for-window.js";
import type { ConversationHistory } from "./conversation-history.js";
import {
  activityIn,
  type EmptyHistory,
  emptyHistory,
  groupedMatches,
  type HistorySearch,
  moreMatches,
  type PastConversation,
} from "./history-search.js";
import { DrawnLines } from "./pressed-line.js";
import { toJson, toMarkdown } from "./transcript-export.js";

interface HistoryItem extends QuickPickItem {
  readonly past?: PastConversation;
  readonly leadsTo?: EmptyHistory["leadsTo"];
  /** Text whose search found this line. */
  readonly query?: string;
}

const rename: QuickInputButton = { iconPath: new ThemeIcon("edit"), tooltip: l10n.t("Rename") };
const stop: QuickInputButton = { iconPath: new ThemeIcon("debug-stop"), tooltip: l10n.t("Stop") };
const archive: QuickInputButton = { iconPath: new ThemeIcon("archive"), tooltip: l10n.t("Archive") };
const unarchive: QuickInputButton = { iconPath: new ThemeIcon("discard"), tooltip: l10n.t("Move Out of the Archive") };
const showArchive: QuickInputButton = { iconPath: new ThemeIcon("archive"), tooltip: l10n.t("Archived Conversations") };
const cleanUp: QuickInputButton = { iconPath: new ThemeIcon("git-branch"), tooltip: l10n.t("Manage Worktrees") };
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
    const found = new FoundConversations(picker, this.history, search);
    picker.buttons = [showArchive];
    picker.onDidTriggerButton(() => found.switchArchive());
    void found.measure(closed.signal);
    void found.lookElsewhere(closed.signal);
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
    picker.onDidTriggerItemButton(async (triggered) => {
      const { past, button } = found.meant(triggered);
      if (!past || !button) return;
      if (button === cleanUp) {
        picker.hide();
        await commands.executeCommand("symposium.showWorktrees");
        return;
      }
      isAside = true;
      try {
        if (button === stop) await this.#tryTo(() => this.history.stop(past));
        else if (button === archive || button === unarchive)
          await this.#tryTo(() => this.history.archive(past, button === archive));
        else if (button === exportButton) await this.#export(past);
        else if (button === rename) await this.#rename(past);
        else await this.#delete(past);
      } finally {
        isAside = false;
        picker.show();
      }
      await found.searchAgain();
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

  async #tryTo(action: () => Promise<void>): Promise<void> {
    await action().catch((thrown: unknown) => void window.showWarningMessage(messageOf(thrown)));
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
  #isArchive = false;
  readonly #sizes = new WorktreeSizes();
  #elsewhere: readonly HostedSession[] = [];
  shown: Promise<void>;

  constructor(
    private readonly picker: QuickPick<HistoryItem>,
    private readonly history: Pick<ConversationHistory, "elsewhere" | "search">,
    private search: HistorySearch,
  ) {
    picker.onDidChangeSelection(([item]) => {
      this.#chosen = item && this.#lines.meant(item);
    });
    this.shown = this.#update();
    picker.onDidChangeValue(() => {
      this.shown = this.#update();
    });
  }

  /** Returns the conversation and the button that the user saw where VS Code reports a press; see {@link DrawnLines.meant}. */
  meant({ item, button }: QuickPickItemButtonEvent<HistoryItem>) {
    const { past, buttons } = this.#lines.meant(item) ?? {};
    return { past, button: buttons?.[item.buttons?.indexOf(button) ?? -1] };
  }

  /** Returns the line that Enter selects: the pressed line, by default the first. Returns undefined if the user has to press again. */
  async accepted(): Promise<Pick<HistoryItem, "past" | "leadsTo"> | undefined> {
    const pressed = this.#chosen;
    if (!pressed && this.#lines.isBehind) return undefined;
    // A newer list for the same text has other objects for the same conversations.
    if (pressed?.query === this.picker.value) return pressed;
    // If the user presses Enter right after typing, select from the new search's results, not from the results still shown.
    await this.shown;
    const { items } = this.picker;
    const first = items.find(({ kind }) => kind !== QuickPickItemKind.Separator);
    return items.find(({ past }) => past !== undefined && past === pressed?.past) ?? first ?? {};
  }

  /** Measures the conversations' worktrees, then shows their sizes. */
  async measure(signal: AbortSignal): Promise<void> {
    for (const folder of this.search.folders) {
      if (signal.aborted) return;
      await this.#sizes.measure([folder]);
    }
    if (this.search.folders.some((folder) => this.#sizes.of(folder))) await this.#update();
  }

  switchArchive(): void {
    this.#isArchive = !this.#isArchive;
    this.picker.title = this.#isArchive ? l10n.t("Archived conversations") : l10n.t("Conversations");
    this.shown = this.#update();
  }

  showAll(): void {
    if (this.#isArchive) this.switchArchive();
    this.picker.value = "";
    this.shown = this.#update();
  }

  /** Adds the sessions on other machines, which can take seconds to answer. */
  async lookElsewhere(signal: AbortSignal): Promise<void> {
    this.#elsewhere = await this.history.elsewhere();
    if (this.#elsewhere.length > 0 && !signal.aborted) await this.searchAgain();
  }

  async searchAgain(): Promise<void> {
    this.search = await this.history.search(this.#elsewhere);
    await this.#update();
  }

  async #update(): Promise<void> {
    const { picker } = this;
    const query = picker.value;
    const search = this.search.among(this.#isArchive);
    const turn = ++this.#asked;
    picker.busy = true;
    const matches = await search.find(query, () => turn === this.#asked);
    if (turn !== this.#asked) return;
    const empty = { ...emptyHistory(query, search.total, this.#isArchive), alwaysShow: true, query };
    const here = workspace.workspaceFolders?.map(({ uri }) => uri.fsPath) ?? [];
    const lines = groupedMatches(matches, here).flatMap((group): HistoryItem[] => [
      { label: group.label, kind: QuickPickItemKind.Separator },
      ...group.matches.map(({ past, snippet }) => ({
        ...itemOf(past, snippet, this.#sizes.of(past.folder ?? "")),
        query,
      })),
    ]);
    const more = moreMatches(matches.length, search.total);
    const items = [
      ...(matches.length === 0 ? [empty] : lines),
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

const states = new Map([
  ["waiting", l10n.t("waiting for you")],
  ["working", l10n.t("working")],
  ["failed", l10n.t("failed")],
  ["idle", l10n.t("idle")],
]);
const activityIcons = { waiting: "bell-dot", working: "sync" };

function buttonsOf({ open, stored, isArchived, ...past }: PastConversation, isInWorktree: boolean): QuickInputButton[] {
  const { live, tab } = past;
  // This window can stop a turn on another machine only in the chat.
  const canStop = live?.on === undefined && activityIn({ ...past, stored, ...(open && { open }) }) !== undefined;
  const isArchivable = !open && !live && stored.length > 0;
  const isOnlyInHost = !open && !tab && stored.length === 0;
  return [
    ...(canStop ? [stop] : []),
    ...(isInWorktree ? [cleanUp] : []),
    ...(isArchivable ? [isArchived === true ? unarchive : archive] : []),
    ...(open ? [exportButton] : isOnlyInHost ? [] : [rename, exportButton, remove]),
  ];
}

function itemOf(past: PastConversation, snippet: string, worktree: ReturnType<WorktreeSizes["of"]>): HistoryItem {
  const { title, agentName, prompts, updatedAt, open, stored } = past;
  const activity = activityIn(past);
  const tokens = stored[0]?.tokens ?? 0;
  const state = states.get(activity ?? past.live?.state ?? "") ?? (open && l10n.t("open"));
  const facts = [
    ...(state === undefined ? [] : [state]),
    ...(agentName === "" ? [] : [agentName]),
    ...(prompts === 0 ? [] : [prompts === 1 ? l10n.t("1 prompt") : l10n.t("{0} prompts", prompts)]),
    ...(tokens === 0 ? [] : [l10n.t("{0} tokens", tokens.toLocaleString())]),
    ...(worktree ? [l10n.t("worktree {0} ({1})", worktree.name, byteCount(worktree.bytes))] : []),
    new Date(updatedAt).toLocaleString(),
  ];
  return {
    label: title,
    ...(activity && { iconPath: new ThemeIcon(activityIcons[activity]) }),
    ...(!activity && open && { iconPath: new ThemeIcon("comment-discussion") }),
    description: facts.join(" · "),
    ...(snippet === "" ? {} : { detail: snippet }),
    // The search has already matched more text than the list shows, so VS Code must not filter.
    alwaysShow: true,
    buttons: buttonsOf(past, worktree !== undefined),
    past,
  };
}
