import * as l10n from "@vscode/l10n";
import { window } from "vscode";
import {
  builtInExtensions,
  extensionsSetting,
  requireOwnList,
  settingOf,
  withAdded,
} from "../settings/extensions-setting.js";
import type { SettingsSource } from "../settings/settings-source.js";
import { type Added, askForComponent, type KnownComponent, selectAgent, selectOtherAgent } from "./dialogs.js";
import { type AgentChoices, agentPlace, startsByItself } from "./agent-choices.js";
import { withAgent } from "../settings/agents-setting.js";
import type { Catalogue } from "./catalogue.js";
import { type Installations, type Outdated, outdated, outdatedLine } from "./installations.js";
import type { ComponentInstaller } from "./installer.js";

interface AgentCommandsOptions {
  readonly choices: AgentChoices;
  readonly catalogue: Catalogue;
  readonly installations: Installations;
  readonly installer: ComponentInstaller;
  readonly source: SettingsSource;
  readonly newerCommand: () => Promise<string | undefined>;
  readonly changed: () => void;
}

export class AgentCommands {
  constructor(private readonly options: AgentCommandsOptions) {}

  async select(): Promise<void> {
    const { choices, installer, source } = this.options;
    const chosen = await selectAgent(await choices.list(), choices.currentId);
    if (chosen === "add") return this.addAgent();
    if (!chosen) return;
    const { id, name, toInstall = id } = chosen;
    if (!startsByItself(chosen) && !(await installer.ensure("agent", id, name, toInstall))) return;
    await source.write("currentAgentId", chosen.id);
    this.options.changed();
  }

  /** Asks for an agent to continue another agent's conversation; undefined if dismissed. The agent is installed when it starts. */
  async chooseOther(agentId: string, title: string): Promise<string | undefined> {
    const offers = await this.options.choices.list();
    const others = offers.filter((offer) => offer.id !== agentId && agentPlace(offer) !== "elsewhere");
    return (await selectOtherAgent(others, title))?.id;
  }

  async addAgent(): Promise<void> {
    const { choices, source, installer, catalogue } = this.options;
    const offers = await choices.list();
    const known = offers
      .filter(({ source: from }) => from === "registry")
      .map(({ id, name, description }) => knownOf(id, name, description, l10n.t("Agent registry"), false));
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

  /** Adds an extension at the agent's end of the chain. Installs it after consent if necessary. */
  async addExtension(): Promise<void> {
    const { catalogue, source, installer } = this.options;
    requireOwnList(source.workspaceList?.file);
    const { extensions } = source.settings;
    const isAdded = (id: string): boolean => extensions.some((extension) => extension.id === id);
    const listed = await catalogue.extensions().catch(() => []);
    const known = [
      ...builtInExtensions.map(({ id, name, description }) =>
        knownOf(id, name, description, l10n.t("Built-in"), isAdded(id)),
      ),
      ...listed.map(({ id, name, description }) =>
        knownOf(id, name, description, l10n.t("From the registry"), isAdded(id)),
      ),
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
    const { catalogue, newerCommand, changed } = this.options;
    await catalogue.refresh(true);
    const found = await this.outdated();
    const command = await newerCommand();
    changed();
    if (found.length > 0) return this.updateAll(found, command);
    if (catalogue.problem !== undefined) {
      void window.showWarningMessage(l10n.t("Couldn't check the registry for newer versions: {0}", catalogue.problem));
    } else if (command !== undefined) void window.showInformationMessage(l10n.t("Newer versions: {0}", command));
    else void window.showInformationMessage(l10n.t("Agents, extensions and the command are up to date."));
  }

  async outdated(): Promise<readonly Outdated[]> {
    const { choices, catalogue, installations } = this.options;
    const [agents, extensions, installed] = await Promise.all([
      choices.list(),
      catalogue.extensions(),
      installations.list(),
    ]);
    return outdated({ agents, extensions, installed });
  }

  async updateAll(found: readonly Outdated[], note?: string): Promise<void> {
    const detail = [...found.map(outdatedLine), ...(note === undefined ? [] : ["", note])].join("\n");
    const question = l10n.t("Install these updates?");
    const answer = await window.showInformationMessage(question, { modal: true, detail }, l10n.t("Update"));
    if (answer === undefined) return;
    for (const { kind, id, name } of found) await this.options.installer.update(kind, id, name);
    this.options.changed();
  }

  async install(agentId: string): Promise<void> {
    const offer = (await this.options.choices.list()).find(({ id }) => id === agentId);
    if (!offer) return;
    await this.options.installer.ensure("agent", agentId, offer.name, offer.toInstall ?? agentId);
    await this.options.catalogue.refresh(false);
    this.options.changed();
  }

  /**
   * Returns the settings entry for an agent or extension that the user described or gave by URL. The command fetches a description from a
   * URL, because it does so safely.
   */
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
