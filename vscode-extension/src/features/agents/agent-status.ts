import { type Disposable, StatusBarAlignment, window } from "vscode";
import type { AgentActivity } from "./agent-activity.js";

/** The agent in the status bar: who it is, whether it works, whether it waits. A click opens the chat. */
export class AgentStatus implements Disposable {
  readonly #item = window.createStatusBarItem("symposium.agent", StatusBarAlignment.Right, 90);
  #tabId: string | undefined;

  constructor() {
    this.#item.name = "Symposium";
    // Which tab it shows is looked up when it is clicked: VS Code draws the item later than a tab changes, and a click
    // on what was drawn before would lead to the tab of then.
    this.#item.command = "symposium.showActiveTab";
    this.#item.show();
  }

  /** The tab that a click shows; undefined: the one that is selected anyway. */
  get tabId(): string | undefined {
    return this.#tabId;
  }

  show({ icon, who, does, tabId }: AgentActivity): void {
    this.#tabId = tabId;
    this.#item.text = `${icon} ${who}`;
    this.#item.tooltip = `${who} ${does}. Click to open the chat.`;
    this.#item.accessibilityInformation = { label: `Symposium: ${who} ${does}` };
  }

  dispose(): void {
    this.#item.dispose();
  }
}
