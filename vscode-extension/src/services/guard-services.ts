import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import { basename } from "node:path";
import { type ExtensionContext, window, workspace } from "vscode";
import { type AgentChoices, agentPlace } from "../features/agents/agent-choices.js";
import type { SubcommandRunner } from "../features/agents/subcommand-runner.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import { GuardPage } from "../features/guard/guard-page.js";
import { SandboxOffer } from "../features/guard/sandbox-offer.js";
import { vscodeGuardEditor } from "../features/guard/vscode-guard-editor.js";
import type { Logger } from "../features/log/logger.js";
import { PagePanel } from "../features/pages/page-panel.js";

export interface GuardServicesOptions {
  readonly context: ExtensionContext;
  readonly commandLine: SubcommandRunner;
  readonly choices: AgentChoices;
  readonly levelChanged: () => void;
  readonly isOpen: (tabId: string) => boolean;
  readonly spawnArgs: () => readonly string[];
  readonly logger: Logger;
}

export function sandboxOffer(
  { commandLine, choices, levelChanged, isOpen, spawnArgs, logger }: GuardServicesOptions,
  page: { show(): Promise<void>; refreshIfSeen(): void },
): SandboxOffer {
  return new SandboxOffer({
    commandLine,
    specOf: async (agentId) => (await choices.listKnown()).find(({ id }) => id === agentId)?.spec,
    isOpen,
    isDecided: () => spawnArgs().some((word) => /^--guard(?:=|$)/.test(word)),
    levelChanged: (spec) => {
      choices.holdAnew(spec);
      levelChanged();
      page.refreshIfSeen();
    },
    showGuard: () => page.show(),
    say: (message) => void window.showWarningMessage(message),
    failed: (reason) => logger.debug("guard", "couldn't determine whether to offer the sandbox", { reason }),
  });
}

export function guardPanel({ context, commandLine, choices, levelChanged }: GuardServicesOptions): PagePanel {
  const page = new GuardPage({
    commandLine,
    editor: vscodeGuardEditor(() => workspaceFolders()[0] ?? homedir()),
    agents: async () => {
      const all = await choices.list();
      return all.filter((offer) => agentPlace(offer) === "here" || offer.id === choices.currentId);
    },
    levelChanged: (spec) => {
      choices.holdAnew(spec);
      levelChanged();
    },
    changed: () => panel.send(),
  });
  const panel: PagePanel = new PagePanel({
    extensionUri: context.extensionUri,
    name: "guard",
    viewType: "symposium.guard",
    title: l10n.t("Symposium: Guard"),
    page,
  });
  context.subscriptions.push(
    workspace.onDidSaveTextDocument(({ fileName }) => {
      if (basename(fileName) === "guard.jsonc") panel.refreshIfSeen();
    }),
    panel,
  );
  return panel;
}
