import * as l10n from "@vscode/l10n";
import { type FromSettingsView, fromSettingsViewSchema, type SettingsState } from "../../../protocol/index.js";
import { withoutAgent } from "../settings/agents-setting.js";
import type { AgentChoices, AgentOffer } from "../agents/agent-choices.js";
import type { Catalogue, ListedAgent } from "../agents/catalogue.js";
import type { ComponentKind, Installations, InstalledComponent } from "../agents/installations.js";
import type { ComponentInstaller } from "../agents/installer.js";
import {
  type ChainExtension,
  extensionsSetting,
  reordered,
  requireOwnList,
  settingOf,
  withAdded,
  withEnabled,
  without,
} from "../settings/extensions-setting.js";
import {
  chainEntryOf,
  openRecommendations,
  type PackageSkills,
  type RecommendedExtension,
} from "../extensions/recommendations.js";
import type { SettingProblem } from "../settings/setting.js";
import { settingsState } from "./settings-state.js";
import type { SettingKey, Settings } from "../settings/settings-table.js";
import { takeMessage } from "../pages/page-message.js";

export interface SettingsPageEditor {
  readonly isTrusted: boolean;
  settings(): Settings;
  problems(): readonly SettingProblem[];
  rawAgents(): unknown;
  extensionsFile(): string | undefined;
  /** Writes a user setting; undefined restores the default. */
  write(key: SettingKey, value: unknown): Promise<void>;
  isBypassed(agentId: string): boolean;
  setBypassed(agentId: string, isBypassed: boolean): Promise<void>;
  dismissed(): readonly string[];
  dismiss(id: string): Promise<void>;
  addAgent(): Promise<void>;
  addExtension(): Promise<void>;
  openSettings(query: string): Promise<void>;
  showPermissions(): Promise<void>;
  runDoctor(agentId: string | undefined): Promise<void>;
  say(message: string): void;
}

interface SettingsPageOptions {
  readonly editor: SettingsPageEditor;
  readonly choices: AgentChoices;
  readonly catalogue: Catalogue;
  readonly installations: Installations;
  readonly installer: ComponentInstaller;
  readonly recommendations: () => Promise<readonly RecommendedExtension[]>;
  readonly allowSkills: (skills: PackageSkills) => Promise<void>;
  readonly changed: () => void;
}

export class SettingsPage {
  #offers: readonly AgentOffer[] = [];
  #installed: readonly InstalledComponent[] = [];
  #listedExtensions: readonly ListedAgent[] = [];
  #recommended: readonly RecommendedExtension[] = [];
  #isLoading = false;
  /** Counts refreshes, so that only answers to the latest one apply. */
  #asked = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(private readonly options: SettingsPageOptions) {}

  get state(): SettingsState {
    const { editor, choices, installer, catalogue } = this.options;
    const settings = editor.settings();
    return settingsState({
      settings,
      problems: editor.problems(),
      offers: this.#offers,
      currentAgentId: choices.currentId,
      bypassed: (id) => editor.isBypassed(id),
      installed: this.#installed,
      listedExtensions: this.#listedExtensions,
      recommendations: openRecommendations(this.#recommended, settings.extensions, editor.dismissed()),
      work: installer.work,
      failures: installer.failures,
      isTrusted: editor.isTrusted,
      isLoading: this.#isLoading,
      registryProblem: catalogue.problem,
    });
  }

  /** Reloads all data and shows each answer as it arrives. If a request fails, its old data stays. */
  async refresh(): Promise<void> {
    const { choices, catalogue, installations, recommendations, editor, changed } = this.options;
    const turn = ++this.#asked;
    this.#isLoading = true;
    changed();
    const take = async <T>(asked: Promise<T>, keep: (answer: T) => void): Promise<void> => {
      const answer = await asked;
      if (turn !== this.#asked) return;
      keep(answer);
      changed();
    };
    await Promise.allSettled([
      take(choices.list(), (offers) => (this.#offers = offers)),
      take(installations.list(), (installed) => (this.#installed = installed)),
      take(catalogue.extensions(), (extensions) => (this.#listedExtensions = extensions)),
      // Don't even read an untrusted workspace.
      take(editor.isTrusted ? recommendations() : Promise.resolve([]), (found) => (this.#recommended = found)),
    ]);
    if (turn !== this.#asked) return;
    this.#isLoading = false;
    changed();
  }

  /** Handles a message from the page; rejects invalid messages. */
  receive(value: unknown): Promise<void> {
    return takeMessage(value, {
      page: l10n.t("The settings page"),
      schema: fromSettingsViewSchema,
      act: (message) => this.#act(message),
      say: (text) => this.options.editor.say(text),
    });
  }

  async #act(message: FromSettingsView): Promise<void> {
    const { editor, catalogue, changed } = this.options;
    switch (message.type) {
      case "settings-ready":
        return this.refresh();
      case "set-current-agent":
        return editor.write("currentAgentId", message.id);
      case "toggle-bypass-permissions":
        await editor.setBypassed(message.id, message.value);
        {
          changed();
          return;
        }
      case "check-for-updates":
        await catalogue.refresh(true);
        return this.refresh();
      case "add-agent":
        await editor.addAgent();
        return this.refresh();
      case "add-extension":
        await editor.addExtension();
        return this.refresh();
      case "toggle-extension":
        return this.#writeExtensions((list) => withEnabled(list, message.id, message.isEnabled));
      case "reorder-extensions":
        return this.#writeExtensions((list) => reordered(list, message.ids));
      case "delete-extension":
        return this.#deleteExtension(message.id);
      case "accept-recommendation":
        return this.#accept(message.id);
      case "dismiss-recommendation":
        await editor.dismiss(message.id);
        {
          changed();
          return;
        }
      case "set-switch":
        return this.#setSwitch(message.key, message.value);
      case "run-doctor":
        return editor.runDoctor(message.id);
      case "open-settings":
        return editor.openSettings(message.query ?? "@ext:symposium-dev.symposium");
      case "show-permissions":
        return editor.showPermissions();
      case "cancel-install": {
        this.options.installer.cancel(message.kind, message.id);
        return;
      }
      default:
        return this.#changeInstallation(message);
    }
  }

  async #changeInstallation(
    message: Extract<FromSettingsView, { type: "install" | "update" | "rollback" | "pin" | "remove" }>,
  ): Promise<void> {
    const { installer } = this.options;
    const { kind, id } = message;
    const name = this.#nameOf(kind, id);
    switch (message.type) {
      case "install":
        await installer.ensure(kind, id, name, this.#sourceOf(kind, id));
        break;
      case "update":
        await installer.update(kind, id, name);
        break;
      case "rollback":
        await installer.rollback(kind, id, name);
        break;
      case "pin": {
        const version = this.#installed.find((one) => one.kind === kind && one.id === id)?.version;
        await installer.pin(kind, id, name, message.isPinned ? version : undefined);
        break;
      }
      case "remove":
        await this.#remove(kind, id, name);
    }
    await this.refresh();
  }

  async #accept(id: string): Promise<void> {
    const recommended = this.#recommended.find((extension) => extension.id === id);
    if (!recommended) return;
    if (recommended.skills) {
      await this.options.allowSkills(recommended.skills);
      return this.refresh();
    }
    const added = extensionsSetting.read([chainEntryOf(recommended)], (message) => this.options.editor.say(message));
    const [extension] = added;
    if (!extension) return;
    const what = extension.needsInstallation || extension.source === "registry" ? extension.spec : undefined;
    const { installer } = this.options;
    if (what !== undefined && !(await installer.ensure("extension", id, recommended.title, what))) return;
    await this.#writeExtensions((list) => withAdded(list, extension));
  }

  #writeExtensions(change: (list: readonly ChainExtension[]) => readonly ChainExtension[]): Promise<void> {
    const { editor } = this.options;
    const written = this.#written.then(() => {
      requireOwnList(editor.extensionsFile());
      return editor.write("extensions", settingOf(change(editor.settings().extensions)));
    });
    this.#written = written.catch(() => undefined);
    return written;
  }

  async #remove(kind: ComponentKind, id: string, name: string): Promise<boolean> {
    const { installer, editor } = this.options;
    const isInstalled = this.#installed.some((one) => one.kind === kind && one.id === id);
    const isWanted = isInstalled ? installer.remove(kind, id, name) : installer.confirmRemove(name);
    if (!(await isWanted)) return false;
    if (kind === "extension") return true;
    const { agents, currentAgentId } = editor.settings();
    if (agents.some((agent) => agent.id === id)) await editor.write("agents", withoutAgent(editor.rawAgents(), id));
    if (currentAgentId === id) await editor.write("currentAgentId", undefined);
    return true;
  }

  async #deleteExtension(id: string): Promise<void> {
    const isInstalled = this.#installed.some((one) => one.kind === "extension" && one.id === id);
    if (isInstalled && !(await this.#remove("extension", id, this.#nameOf("extension", id)))) return;
    await this.#writeExtensions((list) => without(list, id));
    if (isInstalled) await this.refresh();
  }

  async #setSwitch(key: string, value: boolean): Promise<void> {
    const known = this.state.switches.find((one) => one.key === key);
    if (known) await this.options.editor.write(known.key as SettingKey, value);
  }

  #nameOf(kind: ComponentKind, id: string): string {
    const { agents, extensions } = this.state;
    return (kind === "agent" ? agents : extensions).find((entry) => entry.id === id)?.name ?? id;
  }

  #sourceOf(kind: ComponentKind, id: string): string {
    if (kind === "agent") return this.#offers.find((offer) => offer.id === id)?.toInstall ?? id;
    const extension = this.options.editor.settings().extensions.find((one) => one.id === id);
    return extension?.needsInstallation === true ? extension.spec : id;
  }
}
