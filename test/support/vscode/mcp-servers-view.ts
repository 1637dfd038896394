import type { FrameLocator, Locator } from "playwright-core";
import type { VsCodeWindow } from "./vscode-window.js";

/** The page of MCP servers in an editor, as its user sees it. */
export class McpServersView {
  private constructor(readonly page: FrameLocator) {}

  /** Opens the page in a window that shows no other page of ours in an editor, and waits until it has loaded. */
  static async open(window: VsCodeWindow): Promise<McpServersView> {
    await window.run("Symposium: MCP Servers");
    const view = new McpServersView(window.webviewOfEditor("symposium-dev.symposium"));
    await view.page.getByRole("heading", { name: "MCP servers" }).waitFor();
    await view.page.locator(".mcp-servers[aria-busy=false]").waitFor();
    return view;
  }

  /** Waits until the page says `text` about a server. */
  async waitFor(name: string, text: string | RegExp): Promise<void> {
    await this.#server(name).locator(".mcp-state", { hasText: text }).waitFor();
  }

  async press(label: string): Promise<void> {
    await this.page.getByRole("button", { name: label, exact: true }).click();
  }

  #server(name: string): Locator {
    return this.page.locator(".mcp-server", { has: this.page.getByRole("heading", { name, exact: true }) });
  }
}
