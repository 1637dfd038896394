import assert from "node:assert/strict";
import { useChatPages } from "./chat-pages.js";
import { answer, changes, prompt, turns } from "./samples.js";

describe("a long conversation in the chat page", () => {
  const pages = useChatPages();

  it("has only the rows near its end in the page", async () => {
    const chat = await pages.show(turns(2_500));
    assert.ok((await chat.page.locator(".row").count()) < 80);
    await chat.page.locator('[data-key="a2499"]').waitFor();
    assert.equal(await chat.fromEnd(), 0);
  });

  it("stays at the end while the answer grows", async () => {
    const chat = await pages.show(turns(30));
    for (let index = 1; index <= 20; index++) {
      await chat.tell(changes(index, { op: "append", id: "a29", text: `\n\nMore ${index}` }));
    }
    assert.equal(await chat.fromEnd(), 0);
  });

  it("keeps what is in view in its place when the user has scrolled up", async () => {
    const chat = await pages.show(turns(100));
    await chat.scrollBy(-1_500);
    const before = await chat.inView();
    for (let index = 1; index <= 5; index++) {
      await chat.tell(
        changes(index, { op: "append", id: "a99", text: "\n\nMore" }, { op: "put", item: answer(`n${index}`, "New") }),
      );
    }
    await chat.assertInView(before);
    await chat.page.getByRole("button", { name: "New content below: jump to latest" }).click();
    await chat.drawn();
    assert.equal(await chat.fromEnd(), 0);
  });

  it("goes to the end when the user sends a prompt", async () => {
    const chat = await pages.show(turns(100));
    await chat.scrollBy(-1_500);
    assert.ok((await chat.fromEnd()) > 1_000);
    const field = chat.page.locator("symposium-prompt-field textarea");
    await field.fill("And now?");
    await field.press("Enter");
    await chat.tell(
      changes(1, { op: "put", item: prompt("p100", "And now?") }, { op: "put", item: answer("a100", "This.") }),
    );
    await chat.drawn();
    assert.equal(await chat.fromEnd(), 0);
  });

  it("keeps its place when rows above it change their height", async () => {
    const chat = await pages.show(turns(60));
    await chat.scrollBy(-800);
    const before = await chat.inView();
    const key = await chat.page.evaluate(
      () => document.querySelector<HTMLElement>('.row[data-kind="text"]')?.dataset["key"],
    );
    await chat.tell(changes(1, { op: "append", id: key ?? "", text: "\n\nGrown\n\n".repeat(20) }));
    await chat.drawn();
    await chat.assertInView(before);
  });

  it("loads what is older when the user gets there, without a jump", async () => {
    const all = turns(100);
    const chat = await pages.show(all.slice(-40), { total: 200 });
    await chat.scrollBy(-100_000);
    const [asked] = await chat.sent("get-older");
    assert.deepEqual(asked, { type: "get-older", tabId: "t1", beforeId: "u80", count: 200 });
    const before = await chat.inView();
    await chat.tell({ type: "older-items", tabId: "t1", beforeId: "u80", items: all.slice(0, -40), terminals: [] });
    await chat.assertInView(before);
    await chat.scrollBy(-100_000);
    await chat.drawn();
    assert.equal(await chat.page.locator('[data-key="u0"]').count(), 1);
  });

  it("says which prompt the answer in view is for", async () => {
    const chat = await pages.show([prompt("u", "The question"), answer("a", "Line.\n\n".repeat(100))]);
    const sticky = chat.page.getByRole("button", { name: "Go to prompt: The question" });
    await sticky.click();
    await chat.drawn();
    await chat.page.locator('[data-key="u"]').waitFor();
    assert.equal(await sticky.count(), 0);
  });

  it("comes back to its place when the view is shown again", async () => {
    const chat = await pages.show(turns(60));
    await chat.scrollBy(-900);
    const before = await chat.inView();
    await chat.page.waitForFunction(() => JSON.stringify(globalThis.stub.state).includes('"t1"'));
    const state = await chat.state();
    await chat.close();
    const again = await pages.show(turns(60), {}, { state });
    await again.assertInView(before);
  });
});
