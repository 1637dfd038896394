import { type Disposable, StatusBarAlignment, window } from "vscode";
import { type AgentActivity, product } from "./agent-activity.js";

/** The agent in the status bar: who it is, whether it works, whether it waits. A click opens the chat. */
export class AgentStatus implements Disposable {
  readonly #item = window.createStatusBarItem("symposium.agent", StatusBarAlignment.Right, 90);
  #tabId: string | undefined;

  constructor() {
    this.#item.name = product;
    // Without arguments, so it is looked up when it is clicked which tab to show: VS Code forgets a command's arguments
    // when the item gets another command, which is before it is drawn with that, and a click in between does nothing.
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
    this.#item.accessibilityInformation = { label: who === product ? `${who} ${does}` : `${product}: ${who} ${does}` };
  }

  dispose(): void {
    this.#item.dispose();
  }
}
