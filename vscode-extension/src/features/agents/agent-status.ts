import * as l10n from "@vscode/l10n";
import { type Disposable, StatusBarAlignment, window } from "vscode";
import { type AgentActivity, product } from "./agent-activity.js";

export class AgentStatus implements Disposable {
  readonly #item = window.createStatusBarItem("symposium.agent", StatusBarAlignment.Right, 90);
  #tabId: string | undefined;

  constructor() {
    this.#item.name = product;
    // No arguments: the tab is looked up on click. VS Code drops the old command's arguments before it draws the new command, and a click
    // in between would do nothing.
    this.#item.command = "symposium.showActiveTab";
    this.#item.show();
  }

  get tabId(): string | undefined {
    return this.#tabId;
  }

  show({ icon, who, does, tabId }: AgentActivity): void {
    this.#tabId = tabId;
    this.#item.text = `${icon} ${who}`;
    this.#item.tooltip = l10n.t("{0} {1}. Click to open the chat.", who, does);
    this.#item.accessibilityInformation = { label: who === product ? `${who} ${does}` : `${product}: ${who} ${does}` };
  }

  dispose(): void {
    this.#item.dispose();
  }
}
