import assert from "node:assert/strict";
import type { Draft, ToExtension } from "../../../protocol/index.js";
import { ElementPage } from "./element-page.js";
import { image, permission, settings, tabState } from "./samples.js";

describe("the composer", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, [
      "controls/controls.css",
      "controls/listbox.css",
      "chat/composer/composer.css",
      "chat/composer/composer.ts",
    ]);
  });

  const props = { tabId: "t", state: tabState(), settings };
  const mount = async (more: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    await page.mount("symposium-composer", { ...props, ...more });
    await field().click();
  };
  const field = () => page.page.locator(".prompt-text");
  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => page.page.keyboard.press(key)), Promise.resolve());
  const type = (text: string) => page.page.keyboard.type(text);
  const prompts = async (): Promise<object[]> =>
    (await page.sent()).flatMap((message) =>
      message.type === "prompt" ? [{ text: message.text, attachments: message.attachments, when: message.when }] : [],
    );

  it("sends with Enter, makes lines with Shift+Enter and is empty then", async () => {
    await mount();
    await type("first");
    await press("Shift+Enter");
    await type("second");
    await press("Enter");
    assert.deepEqual(await prompts(), [{ text: "first\nsecond", attachments: [], when: "send" }]);
    assert.equal(await field().inputValue(), "");
  });

  it("gives every prompt an id of its own", async () => {
    await mount();
    await type("a");
    await press("Enter");
    await type("b");
    await press("Enter");
    const ids = (await page.sent()).map((message) => (message.type === "prompt" ? message.messageId : ""));
    assert.equal(new Set(ids).size, 2);
    assert.match(ids[0] ?? "", /^[0-9a-f-]{36}$/u);
  });

  it("sends with Ctrl+Enter only when the setting wants a modifier", async () => {
    await mount({ settings: { ...settings, requireModifierToSend: true } });
    await type("a");
    await press("Enter");
    await type("b");
    await press("Control+Enter");
    assert.deepEqual(await prompts(), [{ text: "a\nb", attachments: [], when: "send" }]);
  });

  it("sends nothing when nothing is written", async () => {
    await mount();
    await press("Space", "Enter");
    assert.deepEqual(await page.sent(), []);
    assert.equal(await page.page.locator(".composer-send").isDisabled(), true);
  });

  it("queues while a turn runs; Alt+Enter stops the turn, and sends what it was about again", async () => {
    await mount({ state: tabState({ phase: "running" }) });
    await type("later");
    await page.page.getByRole("button", { name: "Queue prompt" }).click();
    await type("now");
    await press("Alt+Enter");
    assert.deepEqual(await prompts(), [
      { text: "later", attachments: [], when: "send" },
      { text: "now", attachments: [], when: "together" },
    ]);
  });

  it("lets the user choose when something is said, while a turn runs", async () => {
    await mount({ state: tabState({ phase: "running" }) });
    const times = page.page.getByRole("group", { name: "When to send" });
    assert.equal(await times.count(), 0);
    await type("a");
    assert.deepEqual(await times.getByRole("button").allInnerTexts(), ["Queue", "Stop and send"]);
    await times.getByRole("button", { name: "Queue" }).click();
    await type("b");
    await times.getByRole("button", { name: "Stop and send" }).click();
    assert.deepEqual(await prompts(), [
      { text: "a", attachments: [], when: "later" },
      { text: "b", attachments: [], when: "together" },
    ]);
  });

  it("says that what is sent goes into the running turn, where the agent takes that", async () => {
    const accepts = { image: true, audio: false, steering: true };
    await mount({ state: tabState({ phase: "running", accepts }) });
    assert.equal(await page.page.getByPlaceholder("Add to this turn").count(), 1);
    await type("a");
    const times = page.page.getByRole("group", { name: "When to send" }).getByRole("button");
    assert.deepEqual(await times.allInnerTexts(), ["Send now", "Queue", "Stop and send"]);
    await press("Enter");
    assert.deepEqual(await prompts(), [{ text: "a", attachments: [], when: "send" }]);
  });

  it("stops the running turn with Escape and with its button", async () => {
    await mount({ state: tabState({ phase: "running" }) });
    await press("Escape");
    await page.page.getByRole("button", { name: "Stop" }).click();
    assert.deepEqual(await page.sent(), [
      { type: "cancel", tabId: "t" },
      { type: "cancel", tabId: "t" },
    ]);
  });

  it("does nothing on Escape while no turn runs", async () => {
    await mount();
    await press("Escape");
    assert.deepEqual(await page.sent(), []);
  });

  it("leaves Escape and Enter to the input method while it composes", async () => {
    await mount({ state: tabState({ phase: "running" }) });
    const input = await page.page.context().newCDPSession(page.page);
    await input.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
    for (const key of ["Escape", "Enter"]) await input.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key });
    await input.send("Input.insertText", { text: "日本" });
    assert.deepEqual(await page.sent(), []);
    assert.equal(await field().inputValue(), "日本");
    await input.detach();
  });

  it("takes the key that ends a composition for no other, where browsers send it late", async () => {
    await mount();
    await type("日本");
    await field().evaluate((element) => {
      element.dispatchEvent(new CompositionEvent("compositionstart"));
      element.dispatchEvent(new CompositionEvent("compositionend", { data: "日本" }));
      element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    });
    assert.deepEqual(await page.sent(), []);
  });

  it("walks through earlier prompts with Up and Down and comes back to the draft", async () => {
    await mount({ prompts: ["one", "two"] });
    const seen: string[] = [];
    for (const key of ["ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown"]) {
      await press(key);
      seen.push(await field().inputValue());
    }
    assert.deepEqual(seen, ["two", "one", "two", ""]);
  });

  it("keeps Up for the caret where something is written", async () => {
    await mount({ prompts: ["one"] });
    await type("mine");
    await press("ArrowUp");
    assert.equal(await field().inputValue(), "mine");
  });

  it("passes every change on as a draft, the last one at once when the tab changes", async () => {
    await mount();
    await type("half a th");
    await page.set({ tabId: "u", draft: { text: "other", attachments: [] } });
    const drafts = (await page.sentAll()).filter((message) => message.type === "draft");
    assert.deepEqual(drafts.at(-1), { type: "draft", tabId: "t", draft: { text: "half a th", attachments: [] } });
    assert.equal(await field().inputValue(), "other");
  });

  it("keeps what is written when a draft arrives late", async () => {
    await mount();
    await type("newer");
    await page.set({ draft: { text: "older", attachments: [] } });
    assert.equal(await field().inputValue(), "newer");
  });

  it("shows the draft that was kept, with its attachments", async () => {
    const draft: Draft = { text: "see", attachments: [image] };
    await mount({ draft });
    await press("Enter");
    assert.deepEqual(await prompts(), [{ text: "see", attachments: [image], when: "send" }]);
  });

  it("removes attachments with Delete and keeps the focus near", async () => {
    const attachments = ["a.ts", "b.ts"].map((label) => ({ type: "file", uri: `file:///${label}`, label }));
    await mount({ draft: { text: "", attachments } });
    await page.page.getByRole("button", { name: "a.ts", exact: true }).focus();
    await press("Delete");
    const focused = await page.page.evaluate(() => document.activeElement?.textContent.trim());
    await press("Delete");
    assert.equal(focused, "b.ts");
    assert.equal(await page.page.locator(".chip").count(), 0);
    assert.equal(await field().evaluate((element) => element === document.activeElement), true);
  });

  it("opens an attachment on click", async () => {
    await mount({ draft: { text: "", attachments: [{ type: "file", uri: "file:///a.ts", label: "a.ts" }] } });
    await page.page.getByRole("button", { name: "a.ts", exact: true }).click();
    assert.deepEqual(await page.sent(), [
      { type: "open-attachment", attachment: { type: "file", uri: "file:///a.ts", label: "a.ts" } },
    ]);
  });

  it("attaches the same thing once", async () => {
    await mount();
    const file = { type: "file", uri: "file:///a.ts", label: "a.ts" };
    await page.call("addAttachments", [file]);
    await page.call("addAttachments", [file, image]);
    await press("Enter");
    assert.deepEqual(await prompts(), [{ text: "", attachments: [file, image], when: "send" }]);
  });

  it("answers the open permission request with a digit while nothing is written", async () => {
    await page.page.clock.install({ time: 0 });
    // A slow machine takes no longer than the user who is meant here.
    await page.page.clock.pauseAt(1_000_000);
    await mount({ asking: permission() });
    await press("2");
    const early = await page.sent();
    await field().fill("");
    await page.page.clock.runFor(1_000);
    await press("2");
    const expected: ToExtension = {
      type: "approval-response",
      approvalId: "p1",
      response: { outcome: { outcome: "selected", optionId: "always" } },
      bypassAll: false,
    };
    assert.deepEqual([early, await page.sent()], [[], [expected]]);
    await page.page.clock.resume();
  });

  it("keeps digits for the text once something is written", async () => {
    await mount({ asking: permission() });
    await type("step 1");
    assert.deepEqual(await page.sent(), []);
    assert.equal(await field().inputValue(), "step 1");
  });

  it("has no accessibility violations in any theme", async () => {
    const state = tabState({
      phase: "running",
      turnStartedAt: 0,
      usage: { used: 190_000, size: 200_000, cost: { amount: 0.42, currency: "USD" } },
      queue: [{ messageId: "q", text: "Then the docs", attachments: [] }],
      options: [
        { id: "m", name: "Model", category: "model", value: "a", choices: [{ value: "a", name: "A" }] },
        { id: "f", name: "Fast", value: true },
      ],
    });
    await mount({ state, draft: { text: "hello", attachments: [image] } });
    await page.page.getByRole("button", { name: "More agent options" }).click();
    for (const theme of ["light", "high-contrast", "high-contrast-light", "dark"] as const) {
      await page.useTheme(theme);
      assert.deepEqual(await page.violations(), [], theme);
    }
  });
});
