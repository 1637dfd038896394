import * as l10n from "@vscode/l10n";
import type { ModelInformation } from "@symposium-dev/core";
import { type Disposable, StatusBarAlignment, type StatusBarItem, window } from "vscode";
import { meterText, type Usage } from "./response-parts.js";

/** Status bar item with the language model's context usage, shown after the first answer. A click opens the management command. */
export class ModelMeter implements Disposable {
  #item: StatusBarItem | undefined;

  constructor(private readonly isWanted: () => boolean) {}

  show(model: ModelInformation, usage: Usage | undefined, estimate: () => number): void {
    if (!this.isWanted()) return;
    const item = (this.#item ??= newItem());
    const { text, tooltip } = meterText(model, usage, estimate);
    item.text = text;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: l10n.t("Language model: {0}", tooltip) };
    item.show();
  }

  settingsChanged(): void {
    if (!this.isWanted()) this.#item?.hide();
  }

  dispose(): void {
    this.#item?.dispose();
    this.#item = undefined;
  }
}

function newItem(): StatusBarItem {
  const item = window.createStatusBarItem("symposium.languageModel", StatusBarAlignment.Right, 89);
  item.name = l10n.t("Symposium Language Model");
  item.command = "symposium.manageLanguageModels";
  return item;
}
