import type { FrameLocator, Locator } from "playwright-core";
import type { VsCodeWindow } from "./vscode-window.js";

/** The page with agents, extensions and settings, as its user sees it. */
export class SettingsView {
  private constructor(
    readonly window: VsCodeWindow,
    readonly page: FrameLocator,
  ) {}

  /** Opens the page with the command of the palette, and waits until it has asked the registry. */
  static async open(window: VsCodeWindow): Promise<SettingsView> {
    const view = new SettingsView(window, await settingsPage(window));
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

  /** Shows the registry's other agents. */
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

  /** Message of the consent dialog. */
  get question(): Locator {
    return this.window.page.locator(".monaco-dialog-box .dialog-message-container");
  }
}

/** Opens the page in an editor. The chat's page may be there, too, before or after it. */
export async function settingsPage(window: VsCodeWindow): Promise<FrameLocator> {
  await window.run("Symposium: Agents and Extensions");
  const pages = [0, 1].map((index) => window.webview("symposium-dev.symposium", index));
  return Promise.any(
    pages.map(async (page) => {
      await page.getByRole("heading", { name: "Agents" }).waitFor();
      return page;
    }),
  );
}
