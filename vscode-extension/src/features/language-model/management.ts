import * as l10n from "@vscode/l10n";
import { type Exposure, messageOf } from "@symposium-dev/core";
import { commands, ProgressLocation, type QuickPickItem, QuickPickItemKind, window } from "vscode";
import { exposureDescriptions, exposureOf } from "../settings/model-tools-setting.js";
import type { SettingsSource } from "../settings/settings-source.js";
import type { ModelCatalogue } from "./model-catalogue.js";
import type { ModelRequests } from "./model-requests.js";
import { abortSignalOf } from "./participant.js";

interface ManagementOptions {
  readonly source: SettingsSource;
  readonly catalogue: ModelCatalogue;
  readonly requests: ModelRequests;
  readonly listAgents: () => Promise<
    readonly { readonly id: string; readonly name: string; readonly description?: string }[]
  >;
  readonly restart: () => Promise<void>;
}

interface Step extends QuickPickItem {
  readonly run?: () => unknown;
}

export class Management {
  constructor(private readonly options: ManagementOptions) {}

  async run(): Promise<void> {
    const steps: Step[] = [
      {
        label: l10n.t("$(checklist) Choose Agents…"),
        detail: l10n.t("Choose the agents offered as language models"),
        run: () => this.#chooseAgents(),
      },
      {
        label: l10n.t("$(tools) Choose Tools of a Model…"),
        detail: l10n.t("The agent's own tools, the editor's, or both"),
        run: () => this.#chooseExposure(),
      },
      {
        label: l10n.t("$(refresh) Ask Agents for Their Models"),
        detail: l10n.t("Starts the offered agents to list their models"),
        run: () => this.refresh(this.options.catalogue.agents),
      },
      { label: "", kind: QuickPickItemKind.Separator },
      {
        label: l10n.t("$(settings) Open Chat's Own Language Models"),
        detail: l10n.t("Shows or hides models in the chat. Open it if the chat asks you to sign in"),
        run: () => commands.executeCommand("workbench.action.chat.manage"),
      },
      {
        label: l10n.t("$(debug-restart) Restart Agents"),
        detail: l10n.t("Stops the agents behind the models. They start again with the next message"),
        run: () => this.options.restart(),
      },
      {
        label: l10n.t("$(pulse) Check Setup"),
        detail: l10n.t("Shows what an agent needs to run"),
        run: () => commands.executeCommand("symposium.doctor"),
      },
      {
        label: l10n.t("$(circle-slash) Turn Off Language Models"),
        detail: l10n.t("Turns off symposium.enableExperimentalLM"),
        run: () => this.options.source.write("enableExperimentalLM", false),
      },
    ];
    const chosen = await window.showQuickPick(steps, { title: l10n.t("Language Models"), matchOnDetail: true });
    await chosen?.run?.();
  }

  /** Asks agents for their models. Agents that never ran need the user's consent to start. */
  async refresh(agents: readonly { readonly id: string; readonly name: string }[]): Promise<void> {
    const { catalogue, requests } = this.options;
    const strangers = agents.filter(({ id }) => !catalogue.isUsed(id));
    if (strangers.length > 0 && !(await mayStart(strangers.map(({ name }) => name)))) return;
    const options = {
      location: ProgressLocation.Notification,
      title: l10n.t("Asking agents for their models"),
      cancellable: true,
    };
    try {
      const ids = agents.map(({ id }) => id);
      const problems = await window.withProgress(options, (_progress, token) =>
        requests.refresh(ids, abortSignalOf(token)),
      );
      if (problems.length > 0) void window.showWarningMessage(problems.join(" "));
    } catch (thrown) {
      void window.showErrorMessage(messageOf(thrown));
    }
  }

  async #chooseAgents(): Promise<void> {
    const { source, catalogue, listAgents } = this.options;
    const offered = new Set(catalogue.agents.map(({ id }) => id));
    const all = await listAgents();
    const items = all.map(({ id, name, description }) => ({
      label: name,
      description: id === name ? "" : id,
      ...(description === undefined ? {} : { detail: description }),
      picked: offered.has(id),
      id,
    }));
    const chosen = await window.showQuickPick(items, {
      title: l10n.t("Agents offered as language models"),
      placeHolder: l10n.t("If none is selected: your agents and the current one"),
      canPickMany: true,
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (!chosen) return;
    const ids = chosen.map(({ id }) => id);
    await source.write("languageModelAgents", ids.length === 0 ? undefined : ids);
    await catalogue.learnNames(all);
  }

  async #chooseExposure(): Promise<void> {
    const { source, catalogue } = this.options;
    const { languageModelExposure: exposures } = source.settings;
    const items = [
      ...catalogue.models.map(({ id, name, agentId }) => modelItem(id, name, exposureOf(exposures, id, agentId))),
      modelItem("default", l10n.t("All others"), exposureOf(exposures, "default", "default")),
    ];
    const model = await window.showQuickPick(items, {
      title: l10n.t("Choose a model to set its tools"),
      matchOnDescription: true,
    });
    if (!model) return;
    const words = Object.entries(exposureDescriptions).map(([label, detail]) => ({
      label,
      detail,
      description: label === model.exposure ? "now" : "",
    }));
    const chosen = await window.showQuickPick(words, {
      title: l10n.t("Tools of {0}", model.label),
      matchOnDetail: true,
    });
    if (!chosen) return;
    await source.write("languageModelExposure", { ...Object.fromEntries(exposures), [model.id]: chosen.label });
  }
}

function modelItem(id: string, label: string, exposure: Exposure) {
  return { label, description: exposure, id, exposure };
}

async function mayStart(names: readonly string[]): Promise<boolean> {
  const detail = l10n.t("To list the available models, Symposium starts {0} with your permissions.", names.join(", "));
  const question =
    names.length === 1 ? l10n.t("Start {0}?", names[0] ?? "") : l10n.t("Start {0} agents?", names.length);
  return (await window.showInformationMessage(question, { modal: true, detail }, l10n.t("Start"))) === l10n.t("Start");
}
