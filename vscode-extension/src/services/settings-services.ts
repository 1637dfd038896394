import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import { env, type ExtensionContext, Uri, window, workspace } from "vscode";
import { SymposiumError } from "@symposium-dev/core";
import { TrustFile } from "@symposium-dev/core/node";
import type { AgentConfiguration } from "../acp/agent-configuration.js";
import { AgentChoices, elizaId, startsByItself } from "../features/agents/agent-choices.js";
import { AgentCommands } from "../features/agents/agent-commands.js";
import { contextOf, type ContextOfTab } from "../features/agents/context-report.js";
import { Catalogue } from "../features/agents/catalogue.js";
import { type SubcommandRunner, trustWords } from "../features/agents/subcommand-runner.js";
import { vscodeInstallDialogs } from "../features/agents/dialogs.js";
import { Installations, outdatedLine } from "../features/agents/installations.js";
import { ComponentInstaller } from "../features/agents/installer.js";
import { approveProject } from "../features/agents/project-approval.js";
import { showContext } from "../features/agents/show-context.js";
import { showTrace } from "../features/agents/show-trace.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import { vscodeApprovalDialog } from "../features/agents/vscode-approval-dialog.js";
import { allowSkills, recommendationsFor, type RecommendedExtension } from "../features/extensions/recommendations.js";
import { WorkspaceExtensions } from "../features/extensions/workspace-extensions.js";
import { ImportOffer } from "../features/import-servers/import-offer.js";
import { ServerImport } from "../features/import-servers/import-servers.js";
import { vscodeImportDialogs } from "../features/import-servers/vscode-import-dialogs.js";
import { serversEnvironment } from "../features/mcp-servers/vscode-mcp-servers-editor.js";
import { PagePanel } from "../features/pages/page-panel.js";
import { VsCodeBypass } from "../features/permissions/vscode-bypass.js";
import { SetUpPage } from "../features/set-up/set-up-page.js";
import { applyInEditor, openFolder } from "../features/set-up/vscode-remedies.js";
import { SettingsPage } from "../features/settings-page/settings-page.js";
import { vscodeSettingsEditor } from "../features/settings-page/vscode-settings-editor.js";
import { reportSettingProblems, type SettingsSource } from "../features/settings/settings-source.js";
import { commandLine as newerCommand, type NewerVersions, UpdateNotice } from "../features/updates/update-notice.js";
import { extensionVersion } from "./extension-version.js";

interface SettingsServicesOptions {
  readonly context: ExtensionContext;
  readonly source: SettingsSource;
  readonly commandLine: SubcommandRunner;
  readonly editorServers: () => Promise<Readonly<Record<string, unknown>>>;
  readonly changed: () => void;
  readonly unreachable: (what: string, thrown: unknown) => void;
}

export class SettingsServices {
  readonly choices: AgentChoices;
  readonly agents: AgentCommands;
  readonly updates: UpdateNotice;
  readonly importServers: ServerImport;
  readonly importOffer: ImportOffer;
  readonly workspaceExtensions: WorkspaceExtensions;
  readonly pictures: () => Promise<ReadonlyMap<string, string>>;
  readonly showSettings: () => Promise<void>;
  /** Opens the set-up page and checks everything, including an agent (default: the current one). */
  readonly showSetUp: (agentId?: string) => Promise<void>;
  readonly showTrace: () => Promise<void>;
  /**
   * Lists everything that the tab's agent receives in its folder. Without a tab, uses the agent for new tabs and the window's first folder.
   */
  readonly showContext: (tab: ContextOfTab | undefined) => Promise<void>;
  readonly #source: SettingsSource;
  readonly #commandLine: SubcommandRunner;
  readonly #installer: ComponentInstaller;
  readonly #page: SettingsPage;
  /** Ids of components that are known to start without an installation. */
  readonly #ready = new Set([elizaId]);

  constructor({ context, source, commandLine, editorServers, changed, unreachable }: SettingsServicesOptions) {
    this.#source = source;
    this.#commandLine = commandLine;
    const catalogue = new Catalogue(commandLine);
    const installations = new Installations(commandLine);
    const show = (): void => settingsPanel.send();
    const workspaceExtensions = (this.workspaceExtensions = vscodeWorkspaceExtensions(source));
    this.choices = choicesOf(workspaceExtensions, catalogue, unreachable);
    this.#installer = new ComponentInstaller(installations, vscodeInstallDialogs, show);
    const updates = { context, source, catalogue, commandLine, agents: () => this.agents };
    this.agents = new AgentCommands({
      choices: this.choices,
      catalogue,
      installations,
      installer: this.#installer,
      source,
      newerCommand: () => findNewerCommand(updates),
      changed: () => {
        this.#ready.clear();
        this.#ready.add(elizaId);
        changed();
        void this.#page.refresh();
      },
    });
    this.#page = this.#newPage(context, catalogue, installations, show);
    this.updates = weeklyNotice(updates);
    this.importServers = serverImport(context, commandLine);
    this.importOffer = importOfferOf(context, this.importServers);
    this.pictures = () => catalogue.pictures();
    const settingsPanel: PagePanel = new PagePanel({
      extensionUri: context.extensionUri,
      name: "settings",
      viewType: "symposium.settings",
      title: l10n.t("Symposium: Agents and Extensions"),
      page: this.#page,
    });
    this.showSettings = () => settingsPanel.show();
    const setUpPage = this.#newSetUpPage(context, catalogue, () => setUp.send());
    const setUp: PagePanel = new PagePanel({
      extensionUri: context.extensionUri,
      name: "set-up",
      viewType: "symposium.setUp",
      title: l10n.t("Symposium: Setup"),
      page: setUpPage,
    });
    this.showSetUp = async (agentId) => {
      await setUp.show();
      await setUpPage.check(agentId);
    };
    this.showContext = (tab) => this.#showContext(tab, editorServers);
    this.showTrace = () => showTrace(commandLine, source, Uri.joinPath(context.globalStorageUri, "traces").fsPath);
    context.subscriptions.push(
      setUp,
      settingsPanel,
      reportSettingProblems(source),
      source.onDidChange(show),
      workspace.onDidGrantWorkspaceTrust(() => void this.#page.refresh()),
    );
  }

  async #showContext(
    tab: ContextOfTab | undefined,
    editorServers: SettingsServicesOptions["editorServers"],
  ): Promise<void> {
    const asked = contextOf(tab, await this.choices.currentAgent(), workspaceFolders()[0] ?? homedir());
    const extensions = this.workspaceExtensions.inChain().extensions.filter(({ isEnabled }) => isEnabled);
    const env = serversEnvironment(await editorServers());
    await showContext(this.#commandLine, { ...asked, extensions: extensions.map(({ id }) => id), env });
  }

  #newPage(
    { workspaceState }: ExtensionContext,
    catalogue: Catalogue,
    installations: Installations,
    changed: () => void,
  ): SettingsPage {
    return new SettingsPage({
      choices: this.choices,
      catalogue,
      installations,
      installer: this.#installer,
      recommendations: () => this.#recommendations(),
      allowSkills: async (skills) => {
        const [folder] = workspaceFolders();
        if (folder !== undefined) await allowSkills(this.#commandLine, folder, skills);
      },
      changed,
      editor: vscodeSettingsEditor({
        source: this.#source,
        bypass: new VsCodeBypass(),
        memento: workspaceState,
        addAgent: () => this.agents.addAgent(),
        addExtension: () => this.agents.addExtension(),
        runDoctor: (agentId) => this.showSetUp(agentId),
      }),
    });
  }

  #newSetUpPage(context: ExtensionContext, catalogue: Catalogue, changed: () => void): SetUpPage {
    return new SetUpPage({
      choices: this.choices,
      commandLine: this.#commandLine,
      registryProblem: () => catalogue.problem,
      askRegistry: () => catalogue.refresh(true),
      outdated: async () => (await this.agents.outdated()).map(outdatedLine),
      changed,
      editor: {
        facts: () => ({ isTrusted: workspace.isTrusted, folder: openFolder(), problems: this.#source.problems }),
        version: extensionVersion(context),
        acpAgentPath: () => this.#source.settings.acpAgentPath,
        startsLanguageServers: () => this.#source.settings.startLanguageServers,
        trustWords: () => trustWords(workspaceFolders()),
        apply: async (remedy) => {
          const folder = openFolder();
          if (remedy.kind === "install-agent") await this.agents.install(remedy.agentId);
          else if (remedy.kind !== "allow-project") await applyInEditor(remedy);
          else if (folder !== undefined) await approveProject(this.#commandLine, folder, vscodeApprovalDialog);
        },
        copy: async (text) => env.clipboard.writeText(text),
        say: (message) => void window.showWarningMessage(message),
      },
    });
  }

  /** Asks for consent if a component must be installed before its first use. Rejects if the user declines. */
  async prepare(configuration: AgentConfiguration): Promise<void> {
    await this.#prepareAgent(configuration);
    await this.#prepareExtensions();
  }

  /**
   * Installs extensions that are in the settings but not on this machine, for example because the settings were written on another machine.
   */
  async #prepareExtensions(): Promise<void> {
    for (const { id, name, spec, isEnabled, needsInstallation } of this.workspaceExtensions.inChain().extensions) {
      const key = `extension ${id}`;
      if (!isEnabled || !needsInstallation || this.#ready.has(key)) continue;
      if (!(await this.#installer.ensure("extension", id, name, spec))) {
        throw new SymposiumError(
          "not-installed",
          l10n.t("The extension {0} is not installed.", name),
          l10n.t('Open the tab again and agree to install it, or turn it off under "Agents and Extensions".'),
        );
      }
      this.#ready.add(key);
    }
  }

  async #prepareAgent({ agentId, agentName }: AgentConfiguration): Promise<void> {
    if (this.#ready.has(agentId)) return;
    const offer = (await this.choices.list()).find(({ id }) => id === agentId);
    const isOwn = offer !== undefined && startsByItself(offer);
    const what = offer?.toInstall ?? agentId;
    if (!isOwn && !(await this.#installer.ensure("agent", agentId, agentName, what))) {
      throw new SymposiumError(
        "not-installed",
        l10n.t("{0} is not installed.", agentName),
        l10n.t('Open the tab again and agree to install it, or choose another agent with "Symposium: Select Agent".'),
      );
    }
    this.#ready.add(agentId);
  }

  #recommendations(): Promise<readonly RecommendedExtension[]> {
    const [folder] = workspace.workspaceFolders ?? [];
    if (folder?.uri.scheme !== "file") return Promise.resolve([]);
    return recommendationsFor(this.#commandLine, folder.uri.fsPath);
  }
}

const ownId = "symposium";

interface UpdateServicesOptions {
  readonly context: ExtensionContext;
  readonly source: SettingsSource;
  readonly catalogue: Catalogue;
  readonly commandLine: SubcommandRunner;
  readonly agents: () => AgentCommands;
}

async function findNewerCommand(options: UpdateServicesOptions): Promise<string | undefined> {
  const { context, source, catalogue, commandLine } = options;
  const listed = (await catalogue.agents()).find(({ id }) => id === ownId)?.version;
  const path = source.settings.acpAgentPath;
  const chosen = path === "" ? undefined : { path, text: await commandLine.run(["--version"]) };
  const own = extensionVersion(context);
  return newerCommand({
    own,
    ...(listed === undefined ? {} : { listed }),
    ...(chosen === undefined ? {} : { chosen }),
  });
}

/** Creates the weekly update check. The check runs only when the user opens the view, which fetches the registry's list, too. */
function weeklyNotice(options: UpdateServicesOptions): UpdateNotice {
  const { context, source, catalogue, agents } = options;
  return new UpdateNotice({
    isOn: () => source.settings.checkForUpdates && workspace.isTrusted,
    memory: context.globalState,
    now: () => Date.now(),
    newer: async (): Promise<NewerVersions> => {
      await catalogue.refresh(false);
      const outdated = await agents().outdated();
      const command = await findNewerCommand(options);
      // The cached list may be old; try again the next time the view opens.
      if (catalogue.problem !== undefined) throw new Error(catalogue.problem);
      return { outdated, ...(command === undefined ? {} : { command }) };
    },
    notify: (text, ...buttons) => window.showInformationMessage(text, ...buttons),
    update: (outdated) => agents().updateAll(outdated),
    turnOff: () => source.write("checkForUpdates", false),
  });
}

/** Creates the consent check for workspace extensions, with modal dialogs and answers in trust.json. */
function vscodeWorkspaceExtensions(source: SettingsSource): WorkspaceExtensions {
  return new WorkspaceExtensions({
    settings: () => source.settings,
    workspaceList: () => source.workspaceList,
    answers: new TrustFile(),
    confirm: async (question, detail) => {
      const answer = await window.showWarningMessage(
        question,
        { modal: true, detail },
        l10n.t("Allow"),
        l10n.t("Leave Out"),
      );
      return answer === undefined ? undefined : answer === l10n.t("Allow");
    },
    reportLeftOut: async (text) => (await window.showWarningMessage(text, l10n.t("Ask Again"))) !== undefined,
    failed: (message) => void window.showErrorMessage(message),
  });
}

function choicesOf(
  extensions: WorkspaceExtensions,
  catalogue: Catalogue,
  unreachable: SettingsServicesOptions["unreachable"],
): AgentChoices {
  return new AgentChoices({
    settings: () => extensions.inChain(),
    catalogue: async () => {
      const listed = await catalogue.agents();
      if (catalogue.problem !== undefined) unreachable(l10n.t("the agent registry"), catalogue.problem);
      return listed;
    },
    failed: (thrown) => unreachable(l10n.t("the list of agents"), thrown),
    knownAgents: () => catalogue.knownAgents(),
    trustedFolders: workspaceFolders,
  });
}

function serverImport({ globalStorageUri }: ExtensionContext, commandLine: SubcommandRunner): ServerImport {
  return new ServerImport({
    commandLine,
    dialogs: vscodeImportDialogs,
    folder: openFolder,
    editorFolder: Uri.joinPath(globalStorageUri, "..", "..").fsPath,
  });
}

function importOfferOf({ globalState }: ExtensionContext, servers: ServerImport): ImportOffer {
  return new ImportOffer({
    isAllowed: () => workspace.isTrusted,
    memory: globalState,
    servers,
    notify: async (text, button) => (await window.showInformationMessage(text, button)) === button,
  });
}
