import assert from "node:assert/strict";
import type { ToWebview } from "../../../protocol/index.js";
import { useChatPages } from "../webview/chat-pages.js";
import { opened } from "../webview/samples.js";

describe("a tab that the user opens", () => {
  const pages = useChatPages();

  it("can be written in at once", async () => {
    const chat = await pages.open();
    const messages = opened([]);
    await chat.tell(...messages.slice(0, 1));
    await chat.page.getByRole("button", { name: "Eliza" }).click();
    const tabId = (await chat.sent("new-tab"))[0]?.tabId ?? "";
    await chat.tell(...messages.slice(1).map((message) => inTab(message, tabId)));
    await chat.page.locator(".prompt-text:focus").waitFor();
    await chat.page.keyboard.type("hello");
    assert.equal(await chat.page.locator(".prompt-text").inputValue(), "hello");
  });
});

function inTab(message: ToWebview, tabId: string): ToWebview {
  if (message.type === "tabs") return { ...message, tabIds: [tabId], selected: tabId };
  return "tabId" in message ? { ...message, tabId } : message;
}
