import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import type { ToWebview } from "../../../protocol/index.js";
import { useChatPages } from "./chat-pages.js";
import { opened } from "./samples.js";

describe("the focus of the chat page", () => {
  const pages = useChatPages();

  /** The chat page inside another one, which has the focus in a field of its own, as VS Code has. */
  async function embedded(): Promise<Frame> {
    const { page } = await pages.open();
    const address = page.url();
    const body = `<input id="elsewhere"><iframe src="${address}" width="380" height="600"></iframe>`;
    await page.route("**/editor.html", (route) => route.fulfill({ contentType: "text/html", body }));
    await page.goto(new URL("/editor.html", address).href);
    const frame = page.frames()[1] ?? assert.fail("The page has no frame.");
    await frame.waitForFunction(() => globalThis.stub.sent.length > 0);
    await tell(frame, ...opened([]));
    await frame.locator("symposium-prompt-field textarea").waitFor();
    await page.locator("#elsewhere").focus();
    return frame;
  }

  async function tell(frame: Frame, ...messages: ToWebview[]): Promise<void> {
    await frame.evaluate(async (all) => {
      for (const message of all) window.postMessage(message, "*");
      await new Promise((resolve) => setTimeout(resolve));
      for (let drawn = 0; drawn < 3; drawn++) await new Promise(requestAnimationFrame);
    }, messages);
  }

  it("goes to the prompt when the editor gives it, after its message and before", async () => {
    const frame = await embedded();
    const prompt = frame.locator("symposium-prompt-field textarea:focus");
    await tell(frame, { type: "focus" });
    await frame.evaluate(() => window.focus());
    await prompt.waitFor();
    await frame.locator("symposium-chat").evaluate(() => (document.activeElement as HTMLElement).blur());
    assert.equal(await prompt.count(), 0);
    await tell(frame, { type: "focus" });
    await prompt.waitFor();
  });

  it("stays with a user who has gone elsewhere before the message came", async () => {
    const frame = await embedded();
    await tell(frame, { type: "focus" });
    await frame.page().keyboard.type("typed");
    assert.equal(await frame.page().locator("#elsewhere").inputValue(), "typed");
  });

  it("is where the user clicks who comes back by a click", async () => {
    const frame = await embedded();
    await tell(frame, { type: "focus" });
    await frame.locator(".chat-focus").click();
    assert.equal(await frame.locator(".chat-focus:focus").count(), 1);
  });
});
