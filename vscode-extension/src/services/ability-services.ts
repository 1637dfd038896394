import { join } from "node:path";
import { messageOf, Scope } from "@symposium-dev/core";
import { LastingAnswers, type Watchdog } from "@symposium-dev/core/node";
import { type ExtensionContext, env, Uri, window } from "vscode";
import { AbilityTable, ownCapabilities } from "../acp/client-abilities.js";
import { inheritedEnvironment } from "../acp/find-symposium-command.js";
import { EditPlaces } from "../acp/edit-places.js";
import type { SessionObserver } from "../acp/session-observers.js";
import type { AgentChoices } from "../features/agents/agent-choices.js";
import type { SubcommandRunner } from "../features/agents/subcommand-runner.js";
import { Authentication } from "../features/authentication/authentication.js";
import { vsCodeSignInTerminal } from "../features/authentication/vscode-sign-in-terminal.js";
import type { ChatTabs } from "../features/chat/chat-tabs.js";
import type { ViewMessages } from "../features/pages/message-hub.js";
import { Documents } from "../features/documents/documents.js";
import { shownText, vsCodeOpenDocuments } from "../features/documents/vscode-open-documents.js";
import { Elicitation } from "../features/elicitation/elicitation.js";
import { IdeOperations } from "../features/ide-operations/ide-operations.js";
import { vsCodeDiagnostics } from "../features/ide-operations/vscode-diagnostics.js";
import { VsCodeEditor } from "../features/ide-operations/vscode-editor.js";
import { VsCodeWindowState } from "../features/ide-operations/vscode-window-state.js";
import type { OwnFeatures } from "../features/language-features/own-features.js";
import { coreLogger } from "../features/log/core-logger.js";
import type { Logger } from "../features/log/logger.js";
import { GuardNames } from "../features/permissions/agent-ids-in-guard.js";
import { PermissionHistory } from "../features/permissions/permission-history.js";
import { ServerNotices } from "../features/mcp-servers/running-servers.js";
import { Permissions } from "../features/permissions/permissions.js";
import { PermissionsCommand } from "../features/permissions/permissions-command.js";
import { RememberedAnswers } from "../features/permissions/remembered-answers.js";
import { VsCodeBypass } from "../features/permissions/vscode-bypass.js";
import type { WaitingRequests } from "../features/permissions/waiting-requests.js";
import type { Review } from "../features/review/review.js";
import { OutputLogs } from "../features/terminals/output-logs.js";
import { Terminals } from "../features/terminals/terminals.js";

interface AbilityServicesOptions {
  readonly commandLine: SubcommandRunner;
  readonly choices: Pick<AgentChoices, "listKnown">;
  readonly logger: Logger;
  readonly context: ExtensionContext;
  readonly messages: ViewMessages;
  readonly waiting: WaitingRequests;
  readonly review: Review;
  readonly watchdog: Watchdog;
  /** Absolute path of the workspace's storage folder. */
  readonly storage: string;
  readonly startsLanguageServers: () => boolean;
  readonly ownFeatures: OwnFeatures;
  readonly tabs: () => ChatTabs;
}

export class AbilityServices implements AsyncDisposable {
  readonly table: AbilityTable;
  readonly authentication: Authentication;
  readonly logs: OutputLogs;
  readonly places = new EditPlaces(shownText);
  readonly serverNotices = new ServerNotices();
  readonly #permissions: PermissionsCommand;
  readonly #scope = new Scope();

  constructor(options: AbilityServicesOptions) {
    const { context, messages, waiting, review, watchdog, storage, tabs } = options;
    const logger = coreLogger(options.logger, "abilities");
    const history = new PermissionHistory(context.workspaceState);
    const bypass = new VsCodeBypass();
    const remembered = rememberedAnswers(options);
    const { places } = this;
    const permissions = new Permissions({
      remembered,
      history,
      bypass,
      waiting,
      places,
      logger,
      sendComment: ({ tabId }, text) => say(tabs(), tabId, text),
    });
    const documents = new Documents({
      open: vsCodeOpenDocuments,
      permissions,
      written: ({ session, path, before, after, wasUnsaved }) =>
        review.written(session.tabId, path, before ?? null, after, wasUnsaved),
    });
    const openUrl = async (url: string): Promise<boolean> => env.openExternal(Uri.parse(url, true));
    const elicitation = new Elicitation({ waiting, logger, openUrl });
    this.authentication = new Authentication({ waiting, terminal: vsCodeSignInTerminal });
    this.logs = this.#scope.add(new OutputLogs(join(storage, `terminals-${process.pid}`)));
    const terminals = this.#scope.add(
      new Terminals({
        permissions,
        logs: this.logs,
        watchdog,
        env: () => inheritedEnvironment(process.env),
        ran: ({ tabId }, terminalId, isOver) => review.commandRan(tabId, terminalId, isOver),
      }),
    );
    const ideOperations = this.#scope.add(
      new IdeOperations({
        editor: new VsCodeEditor(options.ownFeatures),
        window: this.#scope.add(new VsCodeWindowState()),
        diagnostics: vsCodeDiagnostics(options.ownFeatures),
        mayAskOthers: options.startsLanguageServers,
        edited: ({ folder, path, before, after }) => {
          const tabId = tabAt(tabs(), folder);
          if (tabId !== undefined) review.written(tabId, path, before, after);
        },
      }),
    );
    const shown = [permissions, documents, elicitation, this.authentication, terminals, ideOperations];
    const abilities = [...shown, this.serverNotices];
    this.table = new AbilityTable(abilities, logger, ownCapabilities);
    this.#permissions = new PermissionsCommand(remembered, history, bypass);
    messages.on("approval-response", (message) => permissions.respond(message));
    messages.on("approve-all", (message) => permissions.respondAll(message));
    messages.on("show-permissions", () => this.showPermissions());
    messages.on("elicitation-response", (message) => elicitation.respond(message));
    messages.on("authenticate", (message) => this.authentication.authenticate(message));
    messages.on("kill-terminal", ({ terminalId }) => terminals.kill(terminalId));
  }

  /** Observers that log the output of commands that agents run themselves, and locate agents' edits. */
  get observers(): SessionObserver[] {
    return [{ agentOutput: (_session, terminalId, text) => this.logs.append(terminalId, text) }, this.places];
  }

  showPermissions(): Promise<void> {
    return this.#permissions.run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#scope[Symbol.asyncDispose]();
  }
}

function say(tabs: ChatTabs, tabId: string, text: string): void {
  void tabs.tab(tabId)?.prompt({ messageId: crypto.randomUUID(), text, attachments: [] }, "send");
}

/** Returns the tab whose session works in a folder (absolute path). Tabs with a running turn take precedence. */
function tabAt(tabs: ChatTabs, folder: string): string | undefined {
  const { fsPath } = Uri.file(folder);
  const there = tabs.tabs.filter(({ conversation }) => conversation?.roots[0] === fsPath);
  return (there.find(({ state }) => state.phase === "running") ?? there[0])?.tabId;
}

function rememberedAnswers({ commandLine, choices, logger }: AbilityServicesOptions): RememberedAnswers {
  const names = new GuardNames({
    commandLine,
    agents: () => choices.listKnown(),
    failed: (error) =>
      logger.warn("permissions", "couldn't determine the agent's name in guard.jsonc", { reason: messageOf(error) }),
  });
  return new RememberedAnswers({
    guard: new LastingAnswers(),
    nameOf: (agentId) => names.of(agentId),
    say: (message) => void window.showWarningMessage(message),
  });
}
