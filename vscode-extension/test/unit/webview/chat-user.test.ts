import assert from "node:assert/strict";
import { useChatPages } from "./chat-pages.js";

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
});
