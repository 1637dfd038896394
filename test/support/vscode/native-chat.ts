import type { Locator } from "playwright-core";
import { poll } from "../until.js";
import type { VsCodeWindow } from "./vscode-window.js";

/** How long a look waits before something else is tried. */
const lookMs = 2_000;

/**
 * Command that the built-in agent registers when it starts, after it has found a model. Before that, sending a message asks the user to
 * sign in.
 */
export const builtInAgentCommand = "github.copilot.terminal.generateCommitMessage";

/** VS Code's own Chat view with its built-in agent, as its user sees it; no account takes part. */
export class NativeChat {
  private constructor(readonly window: VsCodeWindow) {}

  /**
   * Opens the view in agent mode. The built-in agent is not there until somebody manages language models: it wants a
   * sign-in before.
   */
  static async open(window: VsCodeWindow): Promise<NativeChat> {
    const chat = new NativeChat(window);
    await chat.#wakeAgent();
    return chat;
  }

  /** The user's messages, oldest first. */
  get requests(): Locator {
    return this.#view.locator(".interactive-request .value");
  }

  /** Answers, oldest first, including settled tool calls and confirmations. */
  get answers(): Locator {
    return this.#view.locator(".interactive-response .value");
  }

  /** The card that asks whether a tool may run, above the field for messages. */
  get confirmation(): Locator {
    return this.#view.locator(".chat-tool-confirmation-carousel-container .chat-confirmation-widget-container");
  }

  /** The button that ends the running turn; there only while one runs. */
  get stopButton(): Locator {
    return this.#view.locator(".chat-input-container .codicon-stop-circle");
  }

  /** The name of the model that the next message goes to. */
  async model(): Promise<string> {
    return (await this.#modelButton().innerText()).trim();
  }

  /** Chooses a model by its name, once the editor knows it. */
  async choose(modelName: string): Promise<void> {
    const chosen = this.#modelButton(modelName);
    const rows = this.window.page.locator(".chat-model-picker-dropdown .monaco-list-row");
    const row = rows.filter({ hasText: modelName });
    // An open list does not learn of models that are found later, and the first one found is chosen without it.
    const isChosen = async (): Promise<boolean> => {
      if (await appears(chosen)) return true;
      await this.#modelButton().click();
      await rows.first().waitFor();
      const others = rows.filter({ hasText: "Other Models" });
      if ((await others.isVisible()) && !(await row.isVisible())) await others.click();
      if (await appears(row)) await row.click();
      else await this.window.page.keyboard.press("Escape");
      return false;
    };
    if (!(await poll(isChosen, (is) => is))) throw new Error(`The Chat view offers no model "${modelName}".`);
  }

  /** Sends a message and waits until the view shows it. */
  async send(text: string): Promise<void> {
    // Text already in the field, such as a mention from the editor, becomes part of the message.
    await this.#field.click();
    await this.window.page.keyboard.insertText(text);
    await this.#view.locator(".chat-submit-button:not(.disabled) a").click();
    await this.requests.filter({ hasText: text }).last().waitFor();
  }

  /** Sends a message and waits for the end of its turn; resolves with the text of the answer. */
  async ask(text: string): Promise<string> {
    await this.send(text);
    return this.ended();
  }

  /** Waits for the end of the turn; resolves with the text of its answer. */
  async ended(): Promise<string> {
    const last = this.#view.locator(".interactive-response").last();
    await last.locator(".chat-footer-details:not(.hidden)").waitFor({ state: "attached" });
    return (await last.locator(".value").innerText()).trim();
  }

  /** Lets the tool that the card asks for run, this time. */
  async allowOnce(): Promise<void> {
    const once = this.confirmation.getByRole("button", { name: "Allow Once" });
    const more = this.confirmation.getByRole("button", { name: "More Actions..." });
    await once.or(more).waitFor();
    if (await once.isVisible()) await once.click();
    else {
      await more.click();
      // A menu ignores clicks that come soon after it opened.
      await this.window.page.getByRole("menuitem", { name: "Allow Once" }).hover();
      await this.window.page.keyboard.press("Enter");
    }
    await this.confirmation.waitFor({ state: "hidden" });
  }

  /** Goes on without the tool that the card asks for. */
  async skip(): Promise<void> {
    await this.confirmation.getByText("Skip", { exact: true }).click();
    await this.confirmation.waitFor({ state: "hidden" });
  }

  /** Ends the running turn. */
  async stop(): Promise<void> {
    await this.stopButton.click();
    await this.stopButton.waitFor({ state: "hidden" });
  }

  /** Starts a conversation in place of the one in the view. */
  async newChat(): Promise<void> {
    // Beside other views the button for it hides in the menu of their bar.
    const { page } = this.window;
    const button = page.getByRole("button", { name: /^New Chat/ }).first();
    const menu = page.locator(".part.auxiliarybar > .title").getByRole("button", { name: /More Actions/ });
    await button.or(menu.first()).first().waitFor();
    if (await button.isVisible()) await button.click();
    else {
      await menu.first().click();
      // A menu ignores clicks that come soon after it opened.
      await page.getByRole("menuitem", { name: /^New Chat(?: \(|$)/ }).hover();
      // It has a menu of its own, whose first entry is what is wanted.
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: /^New Chat Editor/ }).waitFor();
      await page.keyboard.press("Enter");
    }
    await this.requests.first().waitFor({ state: "detached" });
  }

  /** Reloads the window, and waits until the view is back with what stood in it. */
  async reload(): Promise<void> {
    await this.window.reload();
    await this.#wakeAgent();
    // A message that was sent just before may come back as a draft.
    await this.#field.click();
    await this.window.page.keyboard.press("ControlOrMeta+A");
    await this.window.page.keyboard.press("Delete");
  }

  /** Waits until the built-in agent can be asked: before, the editor wants a sign-in. */
  async #wakeAgent(): Promise<void> {
    const { window } = this;
    await window.run("Chat: Manage Language Models");
    await window.page.locator(".monaco-modal-editor-block").waitFor();
    await window.page.keyboard.press("Escape");
    await window.run("Chat: Open Chat (Agent)");
    await this.#modelButton().waitFor();
  }

  get #view(): Locator {
    return this.window.page.locator(".interactive-session");
  }

  get #field(): Locator {
    return this.#view.locator(".chat-input-container .monaco-editor");
  }

  #modelButton(name = ""): Locator {
    return this.#view.locator(".model-picker-name").filter({ hasText: name });
  }
}

function appears(locator: Locator): Promise<boolean> {
  return locator.waitFor({ timeout: lookMs }).then(
    () => true,
    () => false,
  );
}
