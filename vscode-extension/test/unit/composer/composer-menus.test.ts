import assert from "node:assert/strict";
import type { ContextResult } from "../../../protocol/index.js";
import { ElementPage } from "./element-page.js";
import { settings, tabState } from "./samples.js";

describe("the menus of the composer", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, [
      "controls/controls.css",
      "controls/listbox.css",
      "chat/composer/composer.css",
      "chat/composer/composer.ts",
    ]);
  });

  const results: readonly ContextResult[] = [
    { attachment: { type: "file", uri: "file:///composer.ts", label: "composer.ts" }, icon: "file", detail: "src" },
    { attachment: { type: "folder", uri: "file:///composer", label: "composer" }, icon: "folder" },
  ];
  const field = () => page.page.locator(".prompt-text");
  const press = (key: string) => page.page.keyboard.press(key);
  const mount = async (): Promise<void> => {
    await page.mount("symposium-composer", { tabId: "t", state: tabState(), settings });
    await field().click();
  };
  /** Types an `@` word and answers the question for it. */
  const ask = async (word: string): Promise<void> => {
    await page.page.keyboard.type(word);
    const query = await page.page.waitForFunction(
      (text) => messages.find((message) => message.type === "context-query" && message.text === text),
      word.slice(word.indexOf("@") + 1),
    );
    const message = await query.jsonValue();
    await page.call("showContextResults", message?.type === "context-query" ? message.queryId : "", results);
  };
  const active = () =>
    field().evaluate((element) =>
      document.getElementById(element.getAttribute("aria-activedescendant") ?? "")?.textContent.trim(),
    );

  it("offer context by category and tell the active line to screen readers", async () => {
    await mount();
    await ask("see @com");
    const groups = await page.page.getByRole("group", { name: /Files|Folders/u }).count();
    const first = await active();
    await press("ArrowDown");
    const second = await active();
    await press("ArrowDown");
    assert.deepEqual(
      [groups, first?.split(/\s+/u), second, await active()],
      [2, ["composer.ts", "src"], "composer", first],
    );
  });

  it("attach what is chosen and write its name into the text", async () => {
    await mount();
    await ask("see @com");
    await press("Enter");
    assert.equal(await field().inputValue(), "see @composer.ts ");
    await page.page.keyboard.type("please");
    await press("Enter");
    const sent = await page.waitFor("prompt");
    assert.deepEqual([sent.text, sent.attachments], ["see @composer.ts please", [results[0]?.attachment]]);
  });

  it("drop an attachment with its mention, and bring it back with it", async () => {
    await mount();
    await ask("see @com");
    await press("Enter");
    const chips = () => page.page.locator(".chip-open").count();
    const chosen = await chips();
    await press("Control+a");
    await page.page.keyboard.type("x");
    const replaced = await chips();
    await press("Control+z");
    assert.deepEqual([chosen, replaced, await chips(), await field().inputValue()], [1, 0, 1, "see @composer.ts "]);
  });

  it("let Undo take back what was chosen", async () => {
    await mount();
    await ask("@com");
    await press("Tab");
    await press("Control+z");
    assert.equal(await field().inputValue(), "@com");
  });

  it("close with Escape and stay closed for that word, without stopping the turn", async () => {
    await mount();
    await page.set({ state: tabState({ phase: "running" }) });
    await ask("@com");
    await press("Escape");
    await page.page.keyboard.type("p");
    const open = await page.page.getByRole("listbox").count();
    assert.deepEqual([open, (await page.sent()).filter(({ type }) => type === "cancel")], [0, []]);
  });

  it("ignore results for what is no longer asked", async () => {
    await mount();
    await ask("@com");
    await page.call("showContextResults", "other", []);
    assert.equal(await page.page.getByRole("option").count(), 2);
  });

  it("say so when nothing fits", async () => {
    await mount();
    await page.page.keyboard.type("@");
    const query = await page.waitFor("context-query");
    await page.call("showContextResults", query.queryId, []);
    assert.equal((await page.page.getByRole("listbox").textContent())?.trim(), "Nothing fits “”.");
  });

  it("say what was not searched", async () => {
    await mount();
    await page.page.keyboard.type("@");
    const query = await page.waitFor("context-query");
    await page.call("showContextResults", query.queryId, results, "Only the first 100 files are searched.");
    assert.equal(await page.page.getByText("Only the first 100 files are searched.").count(), 1);
  });

  it("offer commands in the middle of a text and show where their input goes", async () => {
    await mount();
    await page.page.keyboard.type("/rev");
    await press("Enter");
    const hint = await page.page.locator("#prompt-hint").textContent();
    await page.page.keyboard.type("main then /com");
    await press("Tab");
    assert.deepEqual(
      [hint?.includes("name of the branch"), await field().inputValue()],
      [true, "/review main then /compact "],
    );
  });

  it("are no obstacle to paths", async () => {
    await mount();
    await page.page.keyboard.type("/usr/bin");
    await press("Enter");
    assert.equal((await page.waitFor("prompt")).text, "/usr/bin");
  });

  it("open with the button for context", async () => {
    await mount();
    await page.page.keyboard.type("see");
    await page.page.getByRole("button", { name: "Add context" }).click();
    assert.equal((await page.waitFor("context-query")).text, "");
    assert.equal(await field().inputValue(), "see @");
  });

  it("have no accessibility violations", async () => {
    await mount();
    await ask("@com");
    assert.deepEqual(await page.violations(), []);
  });
});
