import assert from "node:assert/strict";
import { useChatPages } from "./chat-pages.js";
import { prompt, turns } from "./samples.js";

describe("a prompt in the chat page", () => {
  const pages = useChatPages();

  it("offers what can be done about it", async () => {
    const restore = { id: "restore-checkpoint", label: "Restore files" };
    const chat = await pages.show([{ kind: "user", id: "p1", text: "Do it", attachments: [], actions: [restore] }]);
    await chat.page.getByRole("button", { name: "Restore files" }).click();
    assert.deepEqual(await chat.sent("action"), [
      { type: "action", tabId: "t1", itemId: "p1", actionId: "restore-checkpoint" },
    ]);
  });

  it("keeps what was edited while it is out of sight", async () => {
    const chat = await pages.show([prompt("u", "The question"), ...turns(60)]);
    await chat.scrollBy(-100_000);
    await chat.drawn();
    const row = chat.page.locator('[data-key="u"]');
    await row.getByRole("button", { name: "Edit prompt" }).click();
    await row.getByRole("textbox").fill("Another question");
    await chat.page.getByRole("button", { name: "Jump to latest" }).click();
    await row.waitFor({ state: "detached" });
    await chat.scrollBy(-100_000);
    await chat.drawn();
    assert.equal(await row.getByRole("textbox").inputValue(), "Another question");
    await row.getByRole("button", { name: "Send again" }).click();
    const [sent] = await chat.sent("edit-prompt");
    assert.equal(sent?.text, "Another question");
    assert.equal(await row.locator(".user-text").innerText(), "The question");
  });
});
