import { stringOf } from "@symposium-dev/core";
import { commandTab, tabIdOf } from "../features/chat/command-tab.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import { newRemoteChat } from "../features/other-machines/new-remote-chat.js";
import { placeInEditor } from "../features/edit-here/place-in-editor.js";
import type { AskingServices } from "./asking-services.js";
import type { Services } from "./services.js";

type CommandTable = Readonly<Record<string, (opened: Services, argument: unknown) => unknown>>;

const tabCommands: Readonly<Record<string, (opened: Services, tabId: string | undefined) => unknown>> = {
  continueWith: (opened, tabId) => opened.continueWith(tabId),
  exportSession: ({ tabs, history }, tabId) => history.export(tabs.tab(tabId)),
  restartAgent: ({ tabs }, tabId) => tabs.tab(tabId)?.restart(),
  showContext: ({ settingsServices, tabs }, tabId) => settingsServices.showContext(tabs.tab(tabId)),
};

export const panelCommands: CommandTable = {
  openChat: (opened, tabId) => opened.show(stringOf(tabId)),
  showActiveTab: (opened) => opened.show(opened.status.tabId ?? opened.tabs.selected),
  openInEditor: ({ chat }, argument) => chat.openInEditor(tabIdOf(argument)),
  moveToPanel: ({ chat }, argument) => chat.moveToPanel(tabIdOf(argument)),
  newTab: (opened, agentId) => opened.openTab(stringOf(agentId)),
  newRemoteTab: (opened) =>
    newRemoteChat({
      commandLine: opened.commandLine,
      folder: () => workspaceFolders()[0],
      open: (machine) => opened.show(opened.tabs.open(crypto.randomUUID(), machine.on, { machine }).tabId),
    }),
  newWorktreeTab: ({ worktrees }) => worktrees.tabs.open(),
  compareAgents: ({ worktrees }) => worktrees.comparisons.begin(),
  showComparison: ({ worktrees }) => worktrees.comparisons.showResults(),
  mergeWorktree: ({ worktrees }) => worktrees.tabs.merge(),
  openWorktree: ({ worktrees }) => worktrees.tabs.openWindow(),
  removeWorktree: ({ worktrees }) => worktrees.tabs.remove(),
  showWorktrees: ({ worktrees }) => worktrees.tabs.showAll(),
  showHistory: (opened) => opened.history.show(),
  showPermissions: (opened) => opened.showPermissions(),
  stop: ({ tabs }) => tabs.selectedTab?.conversation?.cancel(),
  selectAgent: ({ settingsServices }) => settingsServices.agents.select(),
  addAgent: ({ settingsServices }) => settingsServices.agents.addAgent(),
  addExtension: ({ settingsServices }) => settingsServices.agents.addExtension(),
  checkForUpdates: ({ settingsServices }) => settingsServices.agents.checkForUpdates(),
  doctor: ({ settingsServices }) => settingsServices.showSetUp(),
  importMcpServers: ({ settingsServices }) => settingsServices.importServers.run(),
  showGuard: ({ pages }) => pages.showGuard(),
  showMcpServers: ({ pages }) => pages.showMcpServers(),
  showProtocolTrace: ({ settingsServices }) => settingsServices.showTrace(),
  openSettings: ({ settingsServices }) => settingsServices.showSettings(),
  ...Object.fromEntries(
    Object.entries(tabCommands).flatMap(([name, run]): [string, CommandTable[string]][] => [
      [name, (opened, argument) => run(opened, commandTab(argument, opened.tabs, opened.chat.editors))],
      // The panel's menu passes no argument, so its commands need separate names.
      [`panel.${name}`, (opened) => run(opened, opened.tabs.selectedInPanel)],
    ]),
  ),
};

/** Commands that ask an agent outside of the conversations: about commits, changes and the lines at the cursor. */
export function askingCommands(ask: (opened: Services) => Promise<AskingServices>): CommandTable {
  return {
    writeCommitMessage: async (opened, argument) => (await ask(opened)).writeCommitMessage(argument),
    editHere: async (opened) => {
      const place = placeInEditor();
      return (await ask(opened)).editHere(place);
    },
    reviewChanges: async (opened, argument) => (await ask(opened)).reviewChanges(argument),
    dismissFinding: async (opened, thread) => (await ask(opened)).dismissFindings(thread),
    dismissFindings: async (opened) => (await ask(opened)).dismissFindings(undefined),
  };
}
