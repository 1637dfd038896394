import { ProgressLocation, window, workspace } from "vscode";
import { settingOf, withAdded } from "../extensions/extension-list.js";
import { builtInExtensions, extensionsSetting } from "../settings/extensions-setting.js";
import type { ReportDocuments } from "../settings/report-documents.js";
import type { SettingsSource } from "../settings/settings-source.js";
import { type Added, askForComponent, type KnownComponent } from "./add-component.js";
import type { AgentChoices } from "./agent-choices.js";
import { withAgent } from "./agent-list.js";
import type { Catalogue } from "./catalogue.js";
import type { CommandLine } from "./command-line.js";
import type { Installations } from "./installations.js";
import type { ComponentInstaller } from "./installer.js";
import { selectAgent } from "./select-agent.js";

export interface AgentCommandsOptions {
  readonly choices: AgentChoices;
  readonly catalogue: Catalogue;
  readonly commandLine: CommandLine;
  readonly installations: Installations;
  readonly installer: ComponentInstaller;
  readonly source: SettingsSource;
  readonly reports: ReportDocuments;
  /** What is listed or installed may be different now. */
  readonly changed: () => void;
}

/** What users do with agents and extensions from the palette and from the settings page. */
export class AgentCommands {
  constructor(private readonly options: AgentCommandsOptions) {}

  /** Asks which agent new tabs talk to, and installs it after consent where it is not there. */
  async select(): Promise<void> {
    const { choices, installations, installer, source } = this.options;
    const [offers, installed] = await Promise.all([choices.list(), installations.list().catch(() => [])]);
    const isInstalled = (id: string): boolean => installed.some((one) => one.kind === "agent" && one.id === id);
    const chosen = await selectAgent(offers, choices.currentId, isInstalled);
    if (chosen === "add") return this.addAgent();
    if (!chosen) return;
    if (!(await installer.ensure("agent", chosen.id, chosen.name, chosen.toInstall ?? chosen.id))) return;
    await source.write("currentAgentId", chosen.id);
    this.options.changed();
  }

  /** Adds an agent to `symposium.agents`, or installs one of the registry, and makes it the current one. */
  async addAgent(): Promise<void> {
    const { choices, source, installer, catalogue } = this.options;
    const offers = await choices.list();
    const known = offers
      .filter(({ source: from }) => from === "registry")
      .map(({ id, name, description }) => knownOf(id, name, description, "Agent registry", false));
    const added = await askForComponent("agent", known);
    if (!added) return;
    if (added.kind === "known") {
      const name = known.find(({ id }) => id === added.id)?.name ?? added.id;
      if (!(await installer.ensure("agent", added.id, name, added.id))) return;
      await source.write("currentAgentId", added.id);
    } else {
      const entry = await this.#entryOf(added, "agent");
      if (!entry) return;
      await source.write("agents", withAgent(source.rawAgents, entry));
      await source.write("currentAgentId", entry.id);
    }
    await catalogue.refresh(false);
    this.options.changed();
  }

  /** Adds an extension at the agent's end of the chain; what has to be installed is installed after consent. */
  async addExtension(): Promise<void> {
    const { catalogue, source, installer } = this.options;
    const { extensions } = source.settings;
    const isAdded = (id: string): boolean => extensions.some((extension) => extension.id === id);
    const listed = await catalogue.extensions().catch(() => []);
    const known = [
      ...builtInExtensions.map(({ id, name, description }) => knownOf(id, name, description, "Built-in", isAdded(id))),
      ...listed.map(({ id, name, description }) => knownOf(id, name, description, "From the registry", isAdded(id))),
    ];
    const added = await askForComponent("extension", known);
    if (!added) return;
    const entry = added.kind === "known" ? { id: added.id } : await this.#entryOf(added, "extension");
    const problems: string[] = [];
    const [extension] = extensionsSetting.read(entry ? [entry] : [], (message) => problems.push(message));
    if (!extension) {
      if (entry) throw new Error(problems.join(" "));
      return;
    }
    const needsConsent = extension.needsInstallation || extension.source === "registry";
    if (needsConsent && !(await installer.ensure("extension", extension.id, extension.name, extension.spec))) return;
    await source.write("extensions", settingOf(withAdded(extensions, extension)));
    this.options.changed();
  }

  async checkForUpdates(): Promise<void> {
    const { catalogue, installations, choices, installer, changed } = this.options;
    await catalogue.refresh(true);
    const [offers, installed] = await Promise.all([choices.list(), installations.list()]);
    changed();
    const outdated = installed.flatMap(({ kind, id, version, pinned }) => {
      const offer = kind === "agent" && pinned === undefined ? offers.find((one) => one.id === id) : undefined;
      const isNewer = offer?.version !== undefined && offer.version !== version;
      return isNewer ? [{ id, name: offer.name, label: `${offer.name} ${version} → ${offer.version ?? ""}` }] : [];
    });
    if (outdated.length === 0) {
      void window.showInformationMessage("Everything that is installed is up to date.");
      return;
    }
    const detail = outdated.map(({ label }) => label).join("\n");
    const answer = await window.showInformationMessage("Update these agents?", { modal: true, detail }, "Update");
    if (answer === undefined) return;
    for (const { id, name } of outdated) await installer.update("agent", id, name);
    changed();
  }

  /** Checks tools, configuration and an agent, the current one where none is named, and shows what was found. */
  async doctor(agentId: string | undefined): Promise<void> {
    const { commandLine, choices, reports } = this.options;
    const id = agentId ?? choices.currentId;
    const offer = (await choices.list()).find((one) => one.id === id);
    const [folder] = workspace.workspaceFolders ?? [];
    const cwd = folder?.uri.scheme === "file" ? { cwd: folder.uri.fsPath } : {};
    const title = offer === undefined ? "Checking the set-up" : `Checking the set-up and ${offer.name}`;
    const options = { location: ProgressLocation.Notification, title, cancellable: true };
    const report = await window.withProgress(options, (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort(new Error("Cancelled")));
      const words = offer === undefined ? ["doctor"] : ["doctor", offer.spec];
      return commandLine.report(words, { ...cwd, signal: abort.signal }).catch((error: unknown) => {
        if (abort.signal.aborted) return undefined;
        throw error;
      });
    });
    if (report !== undefined) await reports.show("Set-up report", report);
  }

  /** What the user described, as settings store it; an address is asked of the command, which reads it safely. */
  async #entryOf(
    added: Exclude<Added, { kind: "known" }>,
    kind: "agent" | "extension",
  ): Promise<(Readonly<Record<string, unknown>> & { readonly id: string }) | undefined> {
    if (added.kind === "described") return { ...added.component, _source: "custom" };
    const { installer, installations } = this.options;
    const { id, name } = await installations.needs(kind, added.url);
    if (!(await installer.ensure(kind, id, name, added.url))) return undefined;
    return { id, name, _source: "registry" };
  }
}

function knownOf(
  id: string,
  name: string,
  description: string | undefined,
  section: string,
  isAdded: boolean,
): KnownComponent {
  return { id, name, section, isAdded, ...(description === undefined ? {} : { description }) };
}
