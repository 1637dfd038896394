import assert from "node:assert/strict";
import {
  elapsedText,
  limitText,
  pressingLimit,
  statusText,
  usageText,
} from "../../../webview/chat/composer/turn-status.js";
import { ElementPage } from "./element-page.js";
import { settings, tabState } from "./samples.js";

const queue = [
  { messageId: "q1", text: "Write the docs", attachments: [] },
  { messageId: "q2", text: "Add a test", attachments: [] },
];

describe("queued prompts", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, [
      "controls/controls.css",
      "controls/listbox.css",
      "chat/composer/composer.css",
      "chat/composer/composer.ts",
    ]);
  });

  beforeEach(async () => {
    await page.mount("symposium-composer", { tabId: "t", state: tabState({ phase: "running", queue }), settings });
  });
  const button = (name: string) => page.page.getByRole("button", { name });
  const press = (key: string) => page.page.keyboard.press(key);

  /** But for which prompt is being edited. */
  const sent = async () => (await page.sent()).filter(({ type }) => type !== "queue-editing");

  it("are removed and sent now with their buttons", async () => {
    await button("Remove: Write the docs").click();
    await button("Send now: Add a test").click();
    assert.deepEqual(await sent(), [
      { type: "queue-remove", tabId: "t", messageId: "q1" },
      { type: "queue-send-now", tabId: "t", messageId: "q2" },
    ]);
  });

  it("are edited in place, saved with Enter", async () => {
    await button("Edit: Write the docs").click();
    await page.page.keyboard.type(" of the options");
    await press("Enter");
    assert.deepEqual(await sent(), [
      { type: "queue-edit", tabId: "t", messageId: "q1", text: "Write the docs of the options" },
    ]);
    assert.equal(await button("Edit: Write the docs").evaluate((element) => element === document.activeElement), true);
  });

  it("stay as they were when editing ends with Escape, and the turn runs on", async () => {
    await button("Edit: Add a test").click();
    await page.page.keyboard.type("!");
    await press("Escape");
    assert.deepEqual(await sent(), []);
  });

  it("are edited, sent and removed with keys alone", async () => {
    await button("Edit: Add a test").focus();
    await press("Control+Enter");
    await press("Delete");
    await press("F2");
    assert.deepEqual(await sent(), [
      { type: "queue-send-now", tabId: "t", messageId: "q2" },
      { type: "queue-remove", tabId: "t", messageId: "q2" },
    ]);
    assert.equal(await page.page.getByLabel("Edit queued prompt").inputValue(), "Add a test");
  });

  const editor = () => page.page.getByLabel("Edit queued prompt");
  const prompt = () => page.page.getByLabel("Prompt to Claude Code");
  const waiting = (...prompts: readonly object[]) => tabState({ phase: "running", queue: prompts as typeof queue });
  const [first, second] = queue as [(typeof queue)[number], (typeof queue)[number]];

  it("keep what is being written in one, and its caret, when another leaves the queue", async () => {
    await button("Edit: Add a test").click();
    await page.page.keyboard.type(" of it");
    await press("Home");
    await page.set({ state: waiting(second) });
    await page.page.keyboard.type("Now: ");
    await press("Enter");
    assert.deepEqual(await sent(), [
      { type: "queue-edit", tabId: "t", messageId: "q2", text: "Now: Add a test of it" },
    ]);
  });

  it("give what was written in one that leaves the queue to the prompt, behind what stands there", async () => {
    await prompt().fill("A draft");
    await button("Edit: Write the docs").click();
    await page.page.keyboard.type(" at once");
    await page.set({ state: waiting(second) });
    assert.equal(await editor().count(), 0);
    assert.equal(await prompt().inputValue(), "A draft\n\nWrite the docs at once");
    const note = "The queued prompt was sent or removed while you edited it. Your text is here.";
    await page.page.getByRole("status").filter({ hasText: note }).waitFor();
    await press("Tab");
    await prompt().press("End");
    await page.page.keyboard.type("!");
    assert.equal(await page.page.getByText(note).count(), 0);
  });

  it("give nothing to the prompt when one leaves the queue that was not changed", async () => {
    await prompt().fill("A draft");
    await button("Edit: Write the docs").click();
    await page.set({ state: waiting(second) });
    assert.equal(await prompt().inputValue(), "A draft");
    assert.equal(await page.page.getByText("while you edited it").count(), 0);
  });

  it("save what was written in one when another is edited", async () => {
    await button("Edit: Write the docs").click();
    await page.page.keyboard.type("!");
    await button("Edit: Add a test").click();
    assert.deepEqual(await sent(), [{ type: "queue-edit", tabId: "t", messageId: "q1", text: "Write the docs!" }]);
    assert.equal(await editor().inputValue(), "Add a test");
  });

  it("are edited on when their tab comes back, without taking the focus", async () => {
    await button("Edit: Add a test").click();
    await page.page.keyboard.type(" of it");
    await page.page.waitForFunction(() =>
      messages.some((one) => one.type === "draft" && one.draft.edit?.text === "Add a test of it"),
    );
    const { draft } = (await page.sentAll()).findLast((one) => one.type === "draft") ?? {};
    assert.deepEqual(draft?.edit, { messageId: "q2", was: "Add a test", text: "Add a test of it" });
    await page.set({ tabId: "other", state: tabState(), draft: undefined });
    assert.equal(await editor().count(), 0);
    await prompt().focus();
    await page.set({ tabId: "t", state: waiting(first, second), draft });
    assert.equal(await editor().inputValue(), "Add a test of it");
    assert.equal(await prompt().evaluate((element) => element === document.activeElement), true);
  });

  it("tell which of them is being edited for as long as it is, and its new text before that ends", async () => {
    const editing = (tabId: string, messageId?: string) => ({
      type: "queue-editing",
      tabId,
      ...(messageId && { messageId }),
    });
    await button("Edit: Write the docs").click();
    await button("Edit: Add a test").click();
    await page.page.keyboard.type("!");
    await press("Enter");
    await button("Edit: Add a test").click();
    await page.set({ tabId: "other", state: tabState(), draft: undefined });
    assert.deepEqual(await page.sent(), [
      editing("t", "q1"),
      editing("t", "q2"),
      { type: "queue-edit", tabId: "t", messageId: "q2", text: "Add a test!" },
      editing("t"),
      editing("t", "q2"),
      editing("t"),
    ]);
  });

  it("are written on in the prompt when the one that is being edited is gone", async () => {
    await button("Edit: Write the docs").click();
    await page.page.keyboard.type(" at");
    await page.set({ state: waiting(second) });
    await page.page.keyboard.type(" once");
    assert.equal(await prompt().inputValue(), "Write the docs at once");
  });

  it("are removed as pressed, whatever leaves the queue meanwhile", async () => {
    const third = { messageId: "q3", text: "Tidy up", attachments: [] };
    await page.set({ state: waiting(first, second, third) });
    await button("Remove: Add a test").hover();
    await page.page.mouse.down();
    await page.set({ state: waiting(second, third) });
    await page.page.mouse.up();
    assert.deepEqual(await sent(), [{ type: "queue-remove", tabId: "t", messageId: "q2" }]);
  });

  it("keep the focus in the list when the one that has it goes, where no key removes another one", async () => {
    await button("Remove: Write the docs").focus();
    await page.page.keyboard.down("Delete");
    await page.set({ state: waiting(second) });
    await page.page.keyboard.down("Delete");
    await page.page.keyboard.up("Delete");
    await press("Delete");
    assert.deepEqual(await sent(), [{ type: "queue-remove", tabId: "t", messageId: "q1" }]);
    assert.match((await page.page.evaluate(() => document.activeElement?.textContent)) ?? "", /Add a test/);
  });
});

describe("the line above the composer", () => {
  it("names the phase, what runs, and who is waited for", () => {
    const said = [
      tabState({ phase: "starting" }),
      tabState({ phase: "restoring" }),
      tabState(),
      tabState({ phase: "running" }),
      tabState({ phase: "running", waiting: 2 }),
      tabState({ phase: "stopping" }),
      tabState({ phase: "failed" }),
    ].map((state) => statusText(state, ""));
    assert.deepEqual(said, [
      "Starting Claude Code…",
      "Restoring the session…",
      "",
      "Working…",
      "Waiting for 2 answers",
      "Stopping…",
      "Claude Code is not running.",
    ]);
    assert.equal(statusText(tabState({ phase: "running" }), "Thinking…"), "Thinking…");
  });

  it("counts seconds, minutes and hours", () => {
    assert.deepEqual([0, 59_999, 61_000, 3_720_000, -5].map(elapsedText), [
      "0 s",
      "59 s",
      "1 min 1 s",
      "1 h 2 min",
      "0 s",
    ]);
  });
});

describe("a limit of the agent's account", () => {
  const at = new Date(2026, 0, 31, 14, 5).getTime();

  it("says how much is used and when it resets, and only the pressing one stands above the composer", () => {
    const weekly = { name: "seven_day", status: "allowed", used: 0.2 };
    const short = { name: "five_hour", status: "allowed_warning", used: 0.83, resetsAt: at };
    const reached = { name: "five_hour", status: "rejected", resetsAt: at };
    assert.equal(limitText(short), `Limit "five hour": 83 % used, resets ${new Date(at).toLocaleString()}.`);
    assert.equal(limitText(reached), `Limit "five hour": reached, resets ${new Date(at).toLocaleString()}.`);
    assert.deepEqual(
      [[weekly], [weekly, short], [short, reached], [short]].map((limits, index) =>
        pressingLimit(limits, index === 3 ? at : at - 1),
      ),
      [undefined, short, reached, undefined],
    );
  });
});

describe("the context ring", () => {
  it("says tokens, share and cost in words", () => {
    const format = new Intl.NumberFormat();
    assert.equal(
      usageText({ used: 46_000, size: 200_000, cost: { amount: 1.5, currency: "credits" } }),
      `Context: ${format.format(46_000)} of ${format.format(200_000)} tokens (23 %).\nCost of this session: 1.5 credits.`,
    );
    assert.equal(usageText({ used: 5, size: 0 }), "Context: 5 tokens.");
  });
});
