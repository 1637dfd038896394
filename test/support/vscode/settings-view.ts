import type { FrameLocator, Locator } from "playwright-core";
import type { VsCodeWindow } from "./vscode-window.js";

/** The view with agents, extensions and settings, as its user sees it. */
export class SettingsView {
  private constructor(
    readonly window: VsCodeWindow,
    readonly page: FrameLocator,
  ) {}

  /** Opens the view with the command of the palette, folds the chat away, and waits until it has asked the registry. */
  static async open(window: VsCodeWindow): Promise<SettingsView> {
    await window.run("Symposium: Agents and Extensions");
    const chat = window.page.getByRole("button", { name: /^Chat Section/ });
    if ((await chat.getAttribute("aria-expanded")) === "true") {
      // A page whose place changes while VS Code still makes its frame can stay blank: both are waited for, and its content.
      const pages = [0, 1].map((index) => window.webview("symposium-dev.symposium", index));
      await Promise.all(pages.map((page) => page.locator("body").waitFor()));
      await Promise.any(pages.map((page) => page.getByRole("radio", { name: "Eliza" }).waitFor({ state: "attached" })));
      await chat.click();
    }
    const view = new SettingsView(window, window.webview("symposium-dev.symposium"));
    await view.page.getByRole("radio", { name: "Eliza" }).waitFor();
    await view.page.getByText("Asking the registry…").waitFor({ state: "detached" });
    return view;
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** An agent that can be used. */
  agent(name: string): Locator {
    return this.page.getByRole("radio", { name, exact: true });
  }

  /** Shows the agents that the registry has besides. */
  async showMore(): Promise<void> {
    const more = this.page.locator("details.registry");
    if ((await more.getAttribute("open")) === null) await more.locator("summary").click();
  }

  /** Shows what can be done with an agent. */
  async showDetails(name: string): Promise<void> {
    const details = this.button(`Details of ${name}`);
    if ((await details.getAttribute("aria-expanded")) === "false") await details.click();
  }

  /** Presses a button of the dialog that asks for consent. */
  async answer(label: string): Promise<void> {
    await this.window.page.locator(".monaco-dialog-box").getByRole("button", { name: label, exact: true }).click();
  }

  /** What the dialog says that asks for consent. */
  get question(): Locator {
    return this.window.page.locator(".monaco-dialog-box .dialog-message-container");
  }
}
