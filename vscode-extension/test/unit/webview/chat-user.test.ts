import assert from "node:assert/strict";
import { useChatPages } from "./chat-pages.js";
import { prompt, turns } from "./samples.js";

describe("a prompt in the chat page", () => {
  const pages = useChatPages();

  it("leads to its other versions, each in its own tab", async () => {
    const branches = [
      { tabId: "t0", itemId: "before" },
      { tabId: "t1", itemId: "u" },
    ];
    const chat = await pages.show([{ kind: "user", id: "u", text: "Fix it", attachments: [], branches }]);
    const versions = chat.page.getByRole("group", { name: "Versions of this prompt" });
    assert.equal((await versions.innerText()).trim(), "2/2");
    assert.equal(await versions.getByRole("button", { name: "Next version" }).isDisabled(), true);
    await versions.getByRole("button", { name: "Previous version" }).click();
    assert.deepEqual(await chat.sent("show-branch"), [{ type: "show-branch", tabId: "t0" }]);
  });

  it("says that it went into the running turn, and is not offered to be edited then", async () => {
    const said = { kind: "user", id: "u", text: "Add tests, too", isSteered: true } as const;
    const chat = await pages.show([prompt("first"), { ...said, attachments: [] }]);
    const row = chat.page.locator('[data-key="u"]');
    await row.getByText("Said into the running turn").waitFor();
    assert.equal(await row.getByRole("button", { name: "Edit prompt" }).count(), 0);
    assert.equal(await chat.page.getByText("Said into the running turn").count(), 1);
  });

  it("shows an attached image, which opens", async () => {
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    const image = { type: "image", label: "pixel.png", mimeType: "image/png", data } as const;
    const chat = await pages.show([{ kind: "user", id: "u", text: "Look", attachments: [image] }]);
    const shown = chat.page.getByRole("img", { name: "pixel.png" });
    assert.equal(await shown.evaluate((element) => (element as HTMLImageElement).naturalWidth), 1);
    await shown.click();
    assert.deepEqual(await chat.sent("open-attachment"), [{ type: "open-attachment", attachment: image }]);
  });

  it("offers beside a prompt that is edited to put its files back first", async () => {
    const action = { id: "restore-checkpoint", label: "Restore files" };
    const item = { kind: "user" as const, id: "u", text: "Question", attachments: [], actions: [action] };
    const chat = await pages.show([item, prompt("other")]);
    const edit = async (id: string): Promise<string[]> => {
      const row = chat.page.locator(`[data-key="${id}"]`);
      await row.getByRole("button", { name: "Edit prompt" }).click();
      return row.locator(".user-edit-buttons button").allInnerTexts();
    };
    assert.deepEqual(await edit("other"), ["Send again", "Cancel"]);
    assert.deepEqual(await edit("u"), ["Send again", "Restore files, send again", "Cancel"]);
    await chat.page.getByRole("button", { name: "Restore files, send again" }).click();
    const [sent] = await chat.sent("edit-prompt");
    assert.deepEqual([sent?.itemId, sent?.restoresFiles], ["u", true]);
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
