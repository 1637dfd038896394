import { type Disposable, StatusBarAlignment, window } from "vscode";
import type { AgentActivity } from "./agent-activity.js";

/** The agent in the status bar: who it is, whether it works, whether it waits. A click opens the chat. */
export class AgentStatus implements Disposable {
  readonly #item = window.createStatusBarItem("symposium.agent", StatusBarAlignment.Right, 90);

  constructor() {
    this.#item.name = "Symposium";
    this.#item.show();
  }

  /** `selected` is the tab that the user was in last. */
  show({ icon, who, does, tabId }: AgentActivity, selected: string | undefined): void {
    const shown = tabId ?? selected;
    this.#item.text = `${icon} ${who}`;
    this.#item.tooltip = `${who} ${does}. Click to open the chat.`;
    this.#item.accessibilityInformation = { label: `Symposium: ${who} ${does}` };
    this.#item.command = {
      command: "symposium.openChat",
      title: "Open Chat",
      arguments: shown === undefined ? [] : [shown],
    };
  }

  dispose(): void {
    this.#item.dispose();
  }
}
