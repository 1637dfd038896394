import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { agentActionTool as toolName } from "@symposium-dev/core";
import { Watchdog } from "@symposium-dev/core/node";
import { type ExtensionContext, lm, window, workspace } from "vscode";
import type { AgentConfiguration } from "../acp/agent-configuration.js";
import { AgentChoices } from "../features/agents/agent-choices.js";
import { RestrictedMode } from "../features/chat/chat-tab.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import { agentActionTool, permissionPrompt } from "../features/language-model/permission-prompt.js";
import { Management } from "../features/language-model/management.js";
import { ModelCatalogue } from "../features/language-model/model-catalogue.js";
import { ModelMeter } from "../features/language-model/model-meter.js";
import { ModelProvider } from "../features/language-model/model-provider.js";
import { ModelRequests } from "../features/language-model/model-requests.js";
import { ModelService, vscodelmCommand } from "../features/language-model/model-service.js";
import { registerParticipant } from "../features/language-model/participant.js";
import { coreLogger } from "../features/log/core-logger.js";
import type { Logger } from "../features/log/logger.js";
import { SettingsSource } from "../features/settings/settings-source.js";
import type { Settings } from "../features/settings/settings-table.js";
import { commandFinder, commandStarter } from "./agent-services.js";
import type { Services } from "./services.js";

export interface LanguageModelsOptions {
  readonly context: ExtensionContext;
  readonly logger: Logger;
  readonly services: () => Promise<Services>;
}

/** Vendor of the language models. Must match package.json. */
const vendor = "symposium";
const announcedKey = "symposium.languageModelsGreeted";

/**
 * Agents as language models: the provider, the permission tool, the chat participant and the meter. Starts nothing until a model is used.
 * Disposing ends the agents.
 */
export class LanguageModels implements AsyncDisposable {
  readonly management: Management;
  readonly #source = new SettingsSource();
  readonly #watchdog = new Watchdog();
  readonly #service: ModelService;
  readonly #disposables: { dispose(): unknown }[];
  /** Settings without extensions, until `#prepare` has asked for consent to the workspace's extensions. */
  #inChain = (): Settings => ({ ...this.#source.settings, extensions: [] });

  constructor({ context, logger, services }: LanguageModelsOptions) {
    const source = this.#source;
    const folder = (): string => workspaceFolders()[0] ?? homedir();
    const settings = () => source.settings;
    const choices = new AgentChoices({
      settings,
      catalogue: () => Promise.resolve([]),
      trustedFolders: workspaceFolders,
    });
    const modelSettings = () => {
      const { agents, languageModelAgents: chosen } = source.settings;
      return { agents, currentId: choices.currentId, chosen };
    };
    const catalogue = new ModelCatalogue(modelSettings, context.globalState, () => provider.changed());
    this.#service = this.#newService(context, logger, catalogue);
    const requests = new ModelRequests({
      catalogue,
      service: this.#service,
      settings,
      folder,
      prepare: async (agentId, where) => this.#prepare(services, agentId, where),
      onProblem: (thrown) => logger.info("language-model", "no models were learnt", { reason: String(thrown) }),
    });
    const meter = new ModelMeter(() => source.settings.languageModelMeter);
    this.management = new Management({
      source,
      catalogue,
      requests,
      listAgents: async () => (await services()).choices.list(),
      restart: () => this.#service.restart(),
    });
    const provider = new ModelProvider({
      catalogue,
      requests,
      settings,
      refresh: () => (workspace.isTrusted ? this.management.refresh(catalogue.agents) : Promise.resolve()),
      answered: (model, usage, estimate) => meter.show(model, usage, estimate),
      logger,
    });
    this.#disposables = [
      source,
      provider,
      meter,
      lm.registerLanguageModelChatProvider(vendor, provider),
      lm.registerTool(toolName, agentActionTool),
      registerParticipant({
        catalogue,
        requests,
        currentId: () => choices.currentId,
        extensionUri: context.extensionUri,
      }),
      source.onDidChange(() => {
        provider.changed();
        meter.settingsChanged();
      }),
    ];
    // VS Code may have requested the models before the provider was ready, so announce a change.
    provider.changed();
    void this.#announceOnce(context);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const disposable of this.#disposables.splice(0)) disposable.dispose();
    await this.#service[Symbol.asyncDispose]();
    this.#watchdog[Symbol.dispose]();
  }

  #newService(context: ExtensionContext, logger: Logger, catalogue: ModelCatalogue): ModelService {
    const log = coreLogger(logger, "language-model");
    const find = commandFinder(context, this.#source);
    return new ModelService({
      command: () => vscodelmCommand(find(), this.#inChain(), windowFolder(), workspaceFolders()),
      startProcess: commandStarter(log, this.#watchdog),
      askPermission: permissionPrompt((modelId) => catalogue.find(modelId)?.name ?? modelId),
      logger: log,
      wait: (ms) => delay(ms),
      now: Date.now,
    });
  }

  async #prepare(
    services: LanguageModelsOptions["services"],
    agentId: string,
    folder: string,
  ): Promise<{ readonly name: string; readonly spec: AgentConfiguration["agent"] }> {
    if (!workspace.isTrusted) throw new RestrictedMode();
    const { choices, settingsServices } = await services();
    await settingsServices.workspaceExtensions.ask();
    this.#inChain = () => settingsServices.workspaceExtensions.inChain();
    const configuration = await choices.configurationFor(agentId, folder);
    await settingsServices.prepare(configuration);
    return { name: configuration.agentName, spec: configuration.agent };
  }

  async #announceOnce(context: ExtensionContext): Promise<void> {
    if (context.globalState.get(announcedKey) === true) return;
    await context.globalState.update(announcedKey, true);
    const text = l10n.t(
      "Agents are now language models. Choose one in the chat's model picker. If the chat asks you to sign in or shows no models, open its own language models once.",
    );
    const answer = await window.showInformationMessage(text, l10n.t("Manage Language Models"));
    if (answer !== undefined) await this.management.run();
  }
}

function windowFolder(): string {
  return workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath ?? homedir();
}
