import * as l10n from "@vscode/l10n";
import { isThere } from "@symposium-dev/core/node";
import { basename } from "node:path";
import { messageOf } from "@symposium-dev/core";
import * as vscode from "vscode";
import type { AgentChoice } from "../../../protocol/index.js";
import type { ChatTab } from "../chat/chat-tab.js";
import type { ChatTabs } from "../chat/chat-tabs.js";
import { type ComparedResult, comparedResult } from "./compared-result.js";
import { comparisonCommands, comparisonPage } from "./comparison-page.js";
import { told, type WorktreeTabs } from "./worktree-tabs.js";
import type { Worktrees } from "./worktrees.js";

interface ComparisonsOptions {
  readonly worktrees: Worktrees;
  readonly worktreeTabs: WorktreeTabs;
  readonly tabs: () => ChatTabs;
  readonly agents: () => readonly AgentChoice[];
  readonly show: (tabId: string) => Promise<void>;
}

/** Maximum number of agents, to limit costs. */
const maxAgents = 3;
const drawMs = 300;

export class Comparisons implements vscode.Disposable {
  readonly #panels = new Map<string, ComparisonPanel>();
  readonly #waiting = new Set<vscode.WebviewPanel>();
  readonly #commands: readonly vscode.Disposable[];

  constructor(private readonly options: ComparisonsOptions) {
    const ofTab = (name: string, run: (tab: ChatTab, path: string) => Promise<void>): vscode.Disposable =>
      vscode.commands.registerCommand(name, async (tabId: unknown, path: unknown) => {
        const tab = typeof tabId === "string" ? options.tabs().tab(tabId) : undefined;
        if (tab) await run(tab, typeof path === "string" ? path : "");
      });
    this.#commands = [
      ofTab(comparisonCommands.keep, (tab) => this.#keep(tab)),
      ofTab(comparisonCommands.diff, (tab, path) => options.worktreeTabs.showDifference(tab, path)),
      ofTab(comparisonCommands.show, (tab) => options.show(tab.tabId)),
      ofTab(comparisonCommands.remove, (tab) => options.worktreeTabs.remove(tab.tabId)),
    ];
  }

  async begin(): Promise<void> {
    await told(async () => {
      const { worktreeTabs, tabs, agents } = this.options;
      const repository = await worktreeTabs.repository();
      if (!repository) return;
      const prompt = await askPrompt(tabs().selectedTab);
      if (prompt === undefined) return;
      const chosen = await askAgents(agents());
      if (!chosen) return;
      const isCarried = await worktreeTabs.askToCarry(repository);
      if (isCarried === undefined) return;
      const comparison = { id: crypto.randomUUID(), prompt };
      for (const { id: agentId } of chosen) {
        const words = `${agentId} ${prompt}`;
        const tab = await worktreeTabs.make(repository, { words, isCarried, agentId, comparison });
        void tab.prompt({ messageId: crypto.randomUUID(), text: prompt, attachments: [] }, "send");
      }
      this.#show(comparison);
    });
  }

  showResults(): void {
    const { tabs } = this.options;
    const all = [tabs().selectedTab, ...[...tabs().tabs].reverse()].flatMap((tab) => tab?.record.comparison ?? []);
    const [comparison] = all;
    if (comparison) this.#show(comparison);
    else void vscode.window.showInformationMessage(l10n.t("There are no comparisons yet."));
  }

  restore(panel: vscode.WebviewPanel): void {
    this.#waiting.add(panel);
    panel.webview.html = comparisonPage("", [], vscode.env.language);
    panel.onDidDispose(() => this.#waiting.delete(panel));
    this.changed();
  }

  changed(): void {
    for (const panel of this.#waiting) {
      const all = this.options.tabs().tabs.flatMap(({ record }) => record.comparison ?? []);
      const own = all.find(({ id, prompt }) => titleOf(prompt) === panel.title && !this.#panels.has(id));
      if (own && this.#waiting.delete(panel)) this.#show(own, panel);
    }
    for (const panel of this.#panels.values()) panel.draw();
  }

  dispose(): void {
    for (const one of [...this.#commands, ...this.#panels.values()]) one.dispose();
  }

  #show(comparison: NonNullable<ChatTab["record"]["comparison"]>, panel?: vscode.WebviewPanel): void {
    const known = this.#panels.get(comparison.id);
    if (known) {
      known.reveal();
      return;
    }
    const { tabs, worktrees } = this.options;
    const own = (): readonly ChatTab[] => tabs().tabs.filter(({ record }) => record.comparison?.id === comparison.id);
    const closed = (): void => void this.#panels.delete(comparison.id);
    this.#panels.set(comparison.id, new ComparisonPanel(comparison.prompt, own, worktrees, closed, panel));
  }

  async #keep(tab: ChatTab): Promise<void> {
    const { worktreeTabs, tabs } = this.options;
    const { comparison } = tab.record;
    const compared = tabs().tabs.filter(({ record }) => record.comparison?.id === comparison?.id);
    await worktreeTabs.merge(tab.tabId, compared);
  }
}

class ComparisonPanel implements vscode.Disposable {
  readonly #files = new Map<string, { readonly turns: number; readonly files: ComparedResult["files"] }>();
  #drawn = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawing: Promise<void> = Promise.resolve();

  constructor(
    private readonly prompt: string,
    private readonly tabs: () => readonly ChatTab[],
    private readonly worktrees: Worktrees,
    closed: () => void,
    private readonly panel = vscode.window.createWebviewPanel(
      "symposium.comparison",
      titleOf(prompt),
      vscode.ViewColumn.Active,
    ),
  ) {
    panel.webview.options = { enableCommandUris: Object.values(comparisonCommands), localResourceRoots: [] };
    panel.onDidDispose(() => {
      clearTimeout(this.#timer);
      closed();
    });
    this.draw();
  }

  reveal(): void {
    this.panel.reveal();
  }

  draw(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#drawing = this.#drawing.then(() => this.#draw()).catch(() => undefined);
    }, drawMs);
  }

  dispose(): void {
    this.panel.dispose();
  }

  async #draw(): Promise<void> {
    const results = await Promise.all(
      this.tabs().map(async (tab) => {
        const { worktree } = tab.record;
        const root = worktree?.root ?? "";
        const hasFolder = await isThere(root);
        const { items } = tab.transcript.transcript;
        const files = worktree && hasFolder ? await this.#filesOf(tab, worktree) : [];
        return comparedResult({ tabId: tab.tabId, name: basename(root), isThere: hasFolder }, tab.state, items, files);
      }),
    );
    const content = JSON.stringify(results);
    // Don't redraw an unchanged page, because the page would lose the focus.
    if (content === this.#drawn) return;
    if (results.length === 0 && this.#drawn !== "") {
      this.panel.dispose();
      return;
    }
    this.#drawn = content;
    this.panel.webview.html = comparisonPage(this.prompt, results, vscode.env.language);
  }

  async #filesOf(
    { tabId, transcript }: ChatTab,
    worktree: { readonly top: string; readonly root: string },
  ): Promise<ComparedResult["files"]> {
    const turns = transcript.transcript.items.filter(({ kind }) => kind === "turn-end").length;
    const known = this.#files.get(tabId);
    if (known?.turns === turns) return known.files;
    const files = await this.worktrees.counts(worktree.top, worktree).catch(messageOf);
    this.#files.set(tabId, { turns, files });
    return files;
  }
}

const maxTitleChars = 40;

/** Returns the page's title, by which its comparison is found again after a reload. A page without a script can't store any other data. */
function titleOf(prompt: string): string {
  const line = prompt.replaceAll(/\s+/g, " ").trim();
  const shown = line.length > maxTitleChars ? `${line.slice(0, maxTitleChars)}…` : line;
  return l10n.t("Compared Results: {0}", shown);
}

async function askPrompt(tab: ChatTab | undefined): Promise<string | undefined> {
  const prompt = await vscode.window.showInputBox({
    title: l10n.t("Compare Agents on a Prompt"),
    prompt: l10n.t("Each agent works in its own worktree. You keep one result."),
    value: tab?.draft?.text.replaceAll(/\s*\n\s*/g, " ") ?? "",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? l10n.t("Enter a prompt.") : undefined),
  });
  return prompt?.trim();
}

async function askAgents(agents: readonly AgentChoice[]): Promise<readonly { readonly id: string }[] | undefined> {
  const items = agents.map(({ id, name, description, place }) => ({
    id,
    label: name,
    ...(description !== undefined && { description }),
    ...(place === "install" && { detail: l10n.t("Will be installed (asks first)") }),
  }));
  for (;;) {
    const chosen = await vscode.window.showQuickPick(items, {
      title: l10n.t("Which Agents?"),
      placeHolder: l10n.t("Two or three"),
      canPickMany: true,
      ignoreFocusOut: true,
    });
    if (!chosen || (chosen.length >= 2 && chosen.length <= maxAgents)) return chosen;
    await vscode.window.showWarningMessage(l10n.t("Choose two or three agents. You chose {0}.", chosen.length), {
      modal: true,
    });
  }
}
