import { SymposiumError } from "@symposium-dev/core";
import { type ExtensionContext, Uri, workspace } from "vscode";
import type { AgentConfiguration } from "../acp/agent-configuration.js";
import { AgentCommands } from "../features/agents/agent-commands.js";
import { AgentChoices, elizaId } from "../features/agents/agent-choices.js";
import { Catalogue } from "../features/agents/catalogue.js";
import type { CommandLine } from "../features/agents/command-line.js";
import { Installations } from "../features/agents/installations.js";
import { ComponentInstaller } from "../features/agents/installer.js";
import { vscodeInstallDialogs } from "../features/agents/vscode-install-dialogs.js";
import { type RecommendedExtension, recommendationsFor } from "../features/extensions/recommendations.js";
import { showTrace } from "../features/log/show-trace.js";
import { VsCodeBypass } from "../features/permissions/vscode-bypass.js";
import { reportSettingProblems } from "../features/settings/report-problems.js";
import { ReportDocuments } from "../features/settings/report-documents.js";
import { SettingsPage } from "../features/settings/settings-page.js";
import type { SettingsSource } from "../features/settings/settings-source.js";
import { SettingsView } from "../features/settings/settings-view.js";
import { vscodeSettingsEditor } from "../features/settings/vscode-settings-editor.js";

export interface SettingsServicesOptions {
  readonly context: ExtensionContext;
  readonly source: SettingsSource;
  readonly commandLine: CommandLine;
  /** What is listed or installed may be different now. */
  readonly changed: () => void;
}

/** Agents, extensions and settings: what there is, what is installed, and the page and commands for both. */
export class SettingsServices {
  readonly choices: AgentChoices;
  readonly agents: AgentCommands;
  readonly view: SettingsView;
  /** Opens the latest trace, or offers to begin one. */
  readonly showTrace: () => Promise<void>;
  readonly #source: SettingsSource;
  readonly #commandLine: CommandLine;
  readonly #installer: ComponentInstaller;
  readonly #page: SettingsPage;
  /** Agents and extensions that are known to start without an installation. */
  readonly #ready = new Set([elizaId]);

  constructor({ context, source, commandLine, changed }: SettingsServicesOptions) {
    this.#source = source;
    this.#commandLine = commandLine;
    const catalogue = new Catalogue(commandLine);
    const installations = new Installations(commandLine);
    const reports = new ReportDocuments();
    const show = (): void => this.view.refresh();
    this.choices = new AgentChoices({ settings: () => source.settings, catalogue: () => catalogue.agents() });
    this.#installer = new ComponentInstaller(installations, vscodeInstallDialogs, show);
    const agents = (this.agents = new AgentCommands({
      choices: this.choices,
      catalogue,
      commandLine,
      installations,
      installer: this.#installer,
      source,
      reports,
      changed: () => {
        this.#ready.clear();
        this.#ready.add(elizaId);
        changed();
        void this.#page.refresh();
      },
    }));
    this.#page = new SettingsPage({
      choices: this.choices,
      catalogue,
      installations,
      installer: this.#installer,
      recommendations: () => this.#recommendations(),
      changed: show,
      editor: vscodeSettingsEditor({
        source,
        bypass: new VsCodeBypass(),
        memento: context.workspaceState,
        addAgent: () => agents.addAgent(),
        addExtension: () => agents.addExtension(),
        runDoctor: (agentId) => agents.doctor(agentId),
      }),
    });
    this.view = new SettingsView(context.extensionUri, () => this.#page);
    this.showTrace = () => showTrace(commandLine, source, Uri.joinPath(context.globalStorageUri, "traces").fsPath);
    context.subscriptions.push(
      reports,
      reportSettingProblems(source),
      source.onDidChange(show),
      workspace.onDidGrantWorkspaceTrust(() => void this.#page.refresh()),
    );
  }

  /** Asks the user's consent where something has to be installed before a first use. Rejects where they refuse. */
  async prepare(configuration: AgentConfiguration): Promise<void> {
    await this.#prepareAgent(configuration);
    await this.#prepareExtensions();
  }

  /** Extensions that came with settings from elsewhere are not installed here yet. */
  async #prepareExtensions(): Promise<void> {
    for (const { id, name, spec, isEnabled, needsInstallation } of this.#source.settings.extensions) {
      const key = `extension ${id}`;
      if (!isEnabled || !needsInstallation || this.#ready.has(key)) continue;
      if (!(await this.#installer.ensure("extension", id, name, spec))) {
        throw new SymposiumError(
          "not-installed",
          `The extension ${name} is not installed.`,
          'Open the tab again and agree to install it, or switch it off under "Agents and Extensions".',
        );
      }
      this.#ready.add(key);
    }
  }

  async #prepareAgent({ agentId, agentName }: AgentConfiguration): Promise<void> {
    if (this.#ready.has(agentId)) return;
    const offer = (await this.choices.list()).find(({ id }) => id === agentId);
    const startsByItself = offer?.source === "custom" && offer.toInstall === undefined;
    const what = offer?.toInstall ?? agentId;
    if (!startsByItself && !(await this.#installer.ensure("agent", agentId, agentName, what))) {
      throw new SymposiumError(
        "not-installed",
        `${agentName} is not installed.`,
        'Open the tab again and agree to install it, or choose another agent with "Symposium: Select Agent".',
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
