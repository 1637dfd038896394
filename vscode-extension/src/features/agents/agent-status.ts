import { type Disposable, StatusBarAlignment, window } from "vscode";

/** What the status bar tells of all tabs. */
export interface AgentActivity {
  readonly agentName: string;
  readonly running: number;
  /** Requests that wait for the user. */
  readonly waiting: number;
}

/** The agent in the status bar: who it is, whether it works, whether it waits. A click opens the chat. */
export class AgentStatus implements Disposable {
  readonly #item = window.createStatusBarItem("symposium.agent", StatusBarAlignment.Right, 90);

  constructor() {
    this.#item.name = "Symposium";
    this.#item.command = "symposium.openChat";
    this.#item.show();
  }

  show({ agentName, running, waiting }: AgentActivity): void {
    const icon = waiting > 0 ? "$(bell-dot)" : running > 0 ? "$(loading~spin)" : "$(comment-discussion)";
    const state = waiting > 0 ? "waits for your answer" : running > 0 ? "is working" : "is ready";
    this.#item.text = `${icon} ${agentName}`;
    this.#item.tooltip = `${agentName} ${state}. Click to open the chat.`;
    this.#item.accessibilityInformation = { label: `Symposium: ${agentName} ${state}` };
  }

  dispose(): void {
    this.#item.dispose();
  }
}
