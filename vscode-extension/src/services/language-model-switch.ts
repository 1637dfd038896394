import * as l10n from "@vscode/l10n";
import { ConfigurationTarget, window, workspace } from "vscode";
import type { LanguageModels, LanguageModelsOptions } from "./language-models.js";

const section = "symposium";
const key = "enableExperimentalLM";

/** Provides language models while `symposium.enableExperimentalLM` is on. Loads their code only then. */
export class LanguageModelSwitch implements AsyncDisposable {
  readonly #options: LanguageModelsOptions;
  #changing: Promise<LanguageModels | undefined> = Promise.resolve(undefined);
  #isDisposed = false;

  constructor(options: LanguageModelsOptions) {
    this.#options = options;
    const { subscriptions } = options.context;
    subscriptions.push(
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${section}.${key}`)) this.#follow();
      }),
    );
    this.#follow();
  }

  /** Implements "Manage Language Models". If models are off, offers to turn them on. */
  async manage(): Promise<void> {
    const models = await this.#changing;
    if (models) return models.management.run();
    const text = l10n.t("Agents aren't offered as language models yet. This is experimental.");
    if ((await window.showInformationMessage(text, l10n.t("Offer Agents"))) === undefined) return;
    await workspace.getConfiguration(section).update(key, true, ConfigurationTarget.Global);
    await (await this.#changing)?.management.run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#follow();
    await this.#changing;
  }

  #follow(): void {
    this.#changing = this.#changing
      .then((models) => this.#change(models))
      .catch((thrown: unknown) => {
        this.#options.logger.error("language-model", "the language models failed", { reason: String(thrown) });
        return undefined;
      });
  }

  async #change(models: LanguageModels | undefined): Promise<LanguageModels | undefined> {
    const isOn = !this.#isDisposed && isEnabled();
    if (isOn === (models !== undefined)) return models;
    if (models) {
      await models[Symbol.asyncDispose]();
      return undefined;
    }
    const { LanguageModels: Loaded } = await import("./language-models.js");
    return new Loaded(this.#options);
  }
}

function isEnabled(): boolean {
  return workspace.getConfiguration(section).get(key) === true;
}
