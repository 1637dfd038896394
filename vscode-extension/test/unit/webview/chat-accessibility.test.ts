import assert from "node:assert/strict";
import type { Item } from "../../../protocol/index.js";
import { permission } from "../composer/samples.js";
import { violationsIn } from "../violations.js";
import { useChatPages } from "./chat-pages.js";
import { answer, changes, gallery, prompt, turns } from "./samples.js";

const schema = { properties: { name: { type: "string", title: "Name" } } };
const form: Item = { kind: "elicitation", id: "form", message: "Who?", mode: "form", schema };
const queued = { messageId: "q", text: "Then the docs", attachments: [] };
const running = { phase: "running", turnStartedAt: 0 } as const;

describe("the chat page for everyone", () => {
  const pages = useChatPages();

  it("reads out the answer by sentences, and what needs the user", async () => {
    const chat = await pages.show([prompt("u"), answer("a")]);
    await chat.tell(changes(1, { op: "append", id: "a", text: "The first sentence. The sec" }));
    const live = chat.page.locator("[aria-live=polite]");
    await chat.page.waitForFunction(
      () => document.querySelector("[aria-live=polite]")?.textContent === "The first sentence.",
    );
    await chat.tell(
      changes(
        3,
        { op: "append", id: "a", text: "ond" },
        { op: "put", item: { kind: "turn-end", id: "e", stopReason: "end_turn" } },
      ),
    );
    await chat.page.waitForFunction(
      () => document.querySelector("[aria-live=polite]")?.textContent !== "The first sentence.",
    );
    assert.equal(await live.textContent(), "The second The turn has ended.");
  });

  it("has a heading for every prompt and every answer", async () => {
    const chat = await pages.show(turns(2));
    const headings = await chat.page.getByRole("heading", { level: 2 }).allInnerTexts();
    assert.deepEqual(headings, ["You asked", "Eliza answered", "You asked", "Eliza answered"]);
  });

  for (const theme of ["dark", "light", "high-contrast", "high-contrast-light"] as const) {
    for (const width of [400, 220]) {
      it(`has no accessibility violations in ${theme} at ${width} pixels`, async () => {
        const { items, terminals } = gallery(Date.now());
        const asked = [...items, form, permission()];
        const options = { theme, width, height: 3_400 };
        const chat = await pages.show(asked, { terminals, state: { ...running, queue: [queued] } }, options);
        await chat.page.getByRole("region", { name: "Queued prompts" }).waitFor();
        assert.deepEqual(
          await chat.page.locator("symposium-elicitation-card, symposium-permission-card, symposium-notice").count(),
          5,
        );
        assert.deepEqual(await violationsIn(chat.page), []);
      });
    }
  }

  for (const direction of ["ltr", "rtl"] as const) {
    it(`fits into 200 pixels, ${direction}`, async () => {
      const { items, terminals } = gallery(Date.now());
      const chat = await pages.show(
        items,
        { terminals },
        { width: 200, height: 3_000, ...(direction === "rtl" ? { direction } : {}) },
      );
      const wide = await chat.page.evaluate(() =>
        [
          document.documentElement,
          ...document.querySelectorAll(".transcript-scroller, .chat-head, .chat-foot, .row > *"),
        ]
          .filter((element) => element.scrollWidth > element.clientWidth + 1)
          .map((element) => element.className || element.tagName),
      );
      assert.deepEqual(wide, []);
    });
  }
});
