import assert from "node:assert/strict";
import type { ConfigOption } from "../../../protocol/index.js";
import { permission } from "../composer/samples.js";
import type { ChatPage } from "./chat-page.js";
import { useChatPages } from "./chat-pages.js";
import { turns } from "./samples.js";

/** A panel of VS Code at 200 % zoom on a screen of 1280 × 800, and one of the usual width. */
const zoomed = { width: 194, height: 262 };
const usual = { width: 290, height: 660 };

const select = (id: string, category: string): ConfigOption => ({
  ...{ id, name: id, category },
  value: "a",
  choices: [{ value: "a", name: "A long name" }],
});
const state = {
  worktree: { name: "fix-the-cart-and-its-taxes", branch: "symposium/fix", path: "/work/fix-the-cart-and-its-taxes" },
  options: [select("mode", "mode"), select("model", "model"), select("effort", "thought_level")],
};

/** The place of the first element in the window, in pixels. */
async function placeOf({ page }: ChatPage, selector: string): Promise<{ top: number; bottom: number }> {
  const box = await page.locator(selector).first().boundingBox();
  assert.ok(box, selector);
  return { top: box.y, bottom: box.y + box.height };
}

describe("the chat page in a small panel", () => {
  const pages = useChatPages();

  it("leaves room for the conversation at 200 % zoom, with the options in one button", async () => {
    const chat = await pages.show(turns(6), { state }, zoomed);
    const conversation = await placeOf(chat, ".transcript-scroller");
    const composer = await placeOf(chat, "symposium-composer");
    assert.ok(conversation.bottom - conversation.top >= 75, JSON.stringify(conversation));
    assert.ok(composer.bottom <= zoomed.height, JSON.stringify(composer));
    const shown = [chat.page.locator("symposium-picker"), chat.page.getByRole("button", { name: /options/ })];
    assert.deepEqual(await Promise.all(shown.map((one) => one.count())), [0, 1]);
  });

  it("names the worktree in full", async () => {
    for (const size of [zoomed, usual]) {
      const chat = await pages.show(turns(1), { state }, size);
      const name = chat.page.locator(".worktree-name");
      assert.equal((await name.innerText()).trim(), state.worktree.name);
      assert.equal(await name.evaluate((one) => one.scrollWidth <= one.clientWidth), true, `${size.width} pixels`);
      const remove = await chat.page.getByRole("button", { name: "Remove the worktree" }).boundingBox();
      assert.ok(remove && remove.x + remove.width <= size.width);
    }
  });

  it("shows what an answered card was about beside a long answer", async () => {
    const answer = { label: "Not answered: the window was closed" };
    const chat = await pages.show([permission({ title: "Change src/cart.ts", answer })], {}, usual);
    const title = await chat.page.locator(".card-summary").boundingBox();
    const label = await chat.page.locator("summary .control-note").boundingBox();
    assert.ok(title && label && title.width >= 90 && label.width >= 90, JSON.stringify([title, label]));
  });

  it("shows a permission card's request, file and answers together, and scrolls its long diff inside", async () => {
    const patch = Array.from({ length: 80 }, (_, line) => `+new ${line}`).join("\n");
    const path = "/home/user/project/cart.ts";
    const counts = { added: 80, removed: 0, isNewFile: false, isCut: false };
    const diff = { type: "diff", path, patch: `@@ -0,0 +1,80 @@\n${patch}`, ...counts } as const;
    const card = permission({ title: "Edit cart.ts", content: [diff], locations: [{ path, label: "cart.ts" }] });
    const chat = await pages.show([...turns(6), card], { state: { waiting: 1 } }, usual);
    await chat.page.locator(".diff-line").first().waitFor();
    const { top, bottom } = await placeOf(chat, ".transcript-scroller");
    for (const selector of [
      ".card-title",
      ".card-locations",
      '.card-answer:has-text("Allow")',
      ".card-answer:last-of-type",
    ]) {
      const place = await placeOf(chat, selector);
      assert.ok(place.top >= top && place.bottom <= bottom, `${selector} ${JSON.stringify([place, top, bottom])}`);
    }
    const request = chat.page.locator(".card-request");
    assert.equal(await request.evaluate((one) => one.scrollHeight > one.clientHeight), true);
  });
});
