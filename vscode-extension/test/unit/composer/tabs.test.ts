import assert from "node:assert/strict";
import type { TabState, ToExtension } from "../../../protocol/index.js";
import { ElementPage } from "./element-page.js";
import { settings, tabState } from "./samples.js";

describe("the tab bar", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, [
      "controls/controls.css",
      "controls/listbox.css",
      "chat/tabs/tabs.css",
      "chat/tabs/tab-bar.ts",
    ]);
  });

  const tab = (tabId: string, patch: Partial<TabState> = {}) => ({
    tabId,
    state: tabState({ title: tabId, ...patch }),
  });
  const mount = (tabs = [tab("a"), tab("b"), tab("c")], selected = "a") =>
    page.mount("symposium-tab-bar", { tabs, selected, agents: settings.agents });
  const select = (name: string) => page.page.getByRole("tab", { name });
  const press = (key: string) => page.page.keyboard.press(key);
  const focused = () => page.page.evaluate(() => document.activeElement?.id);
  /** Tab ids are made up by the page. */
  const sent = async (): Promise<ToExtension[]> =>
    (await page.sent()).map((message) => (message.type === "new-tab" ? { ...message, tabId: "new" } : message));

  it("keeps the title that the user writes when the agent gives the tab another", async () => {
    await mount();
    await select("a").press("F2");
    await page.page.keyboard.type("mine");
    await page.set({ tabs: [tab("a", { title: "the agent's" }), tab("b")] });
    await press("Enter");
    assert.deepEqual(await page.sent(), [{ type: "rename-tab", tabId: "a", title: "mine" }]);
  });

  it("closes no other tab than the one that was pressed while tabs come and go", async () => {
    await mount();
    await select("b").hover();
    await page.page.mouse.down({ button: "middle" });
    await page.set({ tabs: [tab("b"), tab("c"), tab("d")] });
    await page.page.mouse.up({ button: "middle" });
    assert.deepEqual(await page.sent(), []);
  });

  it("selects with a click and with arrow keys, going round", async () => {
    await mount();
    await select("b").click();
    await page.page.locator("#tab-a").focus();
    await press("ArrowLeft");
    const last = await focused();
    await press("Home");
    assert.deepEqual([last, await focused()], ["tab-c", "tab-a"]);
    assert.deepEqual(await page.sent(), [
      { type: "select-tab", tabId: "b" },
      { type: "select-tab", tabId: "c" },
    ]);
  });

  it("turns the arrow keys round where text runs from right to left", async () => {
    await mount();
    await page.page.evaluate(() => (document.documentElement.dir = "rtl"));
    await page.page.locator("#tab-a").focus();
    await press("ArrowLeft");
    const next = await focused();
    await page.page.evaluate(() => (document.documentElement.dir = ""));
    assert.equal(next, "tab-b");
  });

  it("is one stop of the Tab key", async () => {
    await mount();
    assert.deepEqual(
      await page.page.getByRole("tab").evaluateAll((tabs) => tabs.map((one) => one.getAttribute("tabindex"))),
      ["0", "-1", "-1"],
    );
  });

  it("closes with Delete, with its cross and with the middle button", async () => {
    await mount();
    await page.page.locator("#tab-a").focus();
    await press("Delete");
    await page.page.locator("#tab-b").hover();
    await page.page.locator("#tab-b .tab-close").click();
    await select("c").click({ button: "middle" });
    assert.deepEqual(await page.sent(), [
      { type: "close-tab", tabId: "a" },
      { type: "close-tab", tabId: "b" },
      { type: "close-tab", tabId: "c" },
    ]);
  });

  it("closes no tab that takes the place of another under the mouse", async () => {
    await mount();
    await page.page.locator("#tab-a").hover();
    await page.page.locator("#tab-a .tab-close").hover();
    await page.page.mouse.down();
    await page.set({ tabs: [tab("b"), tab("c")], selected: "b" });
    await page.page.mouse.up();
    assert.deepEqual(await page.sent(), []);
  });

  it("keeps the focus when the tab that has it is closed with a key", async () => {
    await mount();
    await page.page.locator("#tab-a").focus();
    await press("Delete");
    await page.set({ tabs: [tab("b"), tab("c")], selected: "b" });
    assert.equal(await focused(), "tab-b");
  });

  it("tells tabs of one title apart by agent, folder and number", async () => {
    const same = { title: "Fix the cart" };
    await mount([
      tab("a", { ...same, agentName: "Codex", folder: "other" }),
      tab("b", { ...same, folder: "fix-cart" }),
      tab("c", same),
      tab("d", same),
      tab("e"),
    ]);
    const labels = await page.page.locator(".tab-label").allInnerTexts();
    assert.deepEqual(labels, [
      "Codex · Fix the cart",
      "Claude Code · fix-cart · Fix the cart",
      "Claude Code · Fix the cart",
      "2 · Claude Code · Fix the cart",
      "e",
    ]);
  });

  it("lists all open chats in a narrow panel, and selects one", async () => {
    await page.page.setViewportSize({ width: 290, height: 760 });
    const many = Array.from({ length: 12 }, (_, at) => tab(`chat ${at}`, at === 9 ? { waiting: 1 } : {}));
    await mount(many, "chat 0");
    await page.page.getByRole("button", { name: "Open chats: chat 0" }).click();
    const lines = page.page.getByRole("option");
    const isInSight = await lines.nth(9).evaluate((line) => {
      const { top, bottom, right } = line.getBoundingClientRect();
      return top > 0 && bottom <= innerHeight && right <= innerWidth;
    });
    assert.deepEqual(
      [await lines.count(), (await lines.nth(9).innerText()).split("\n"), isInSight],
      [12, ["chat 9", "Claude Code · waits for your answer"], true],
    );
    await lines.nth(9).click();
    await page.page.setViewportSize({ width: 380, height: 640 });
    assert.deepEqual(await page.sent(), [{ type: "select-tab", tabId: "chat 9" }]);
  });

  it("takes no room while there is no tab", async () => {
    await mount([], "");
    assert.equal(await page.page.locator("symposium-tab-bar").innerText(), "");
  });

  it("finds an agent in the menu by the letter its name begins with", async () => {
    await mount();
    await page.page.getByRole("button", { name: "More: agents, history, settings" }).click();
    await press("e");
    await press("Enter");
    assert.deepEqual(await sent(), [{ type: "new-tab", tabId: "new", agentId: "eliza" }]);
  });

  it("renames with F2 or a double click, and not with Escape or without a title", async () => {
    await mount();
    await page.page.locator("#tab-a").focus();
    await press("F2");
    await page.page.keyboard.type("Parser");
    await press("Enter");
    const focus = await focused();
    await page.page.locator("#tab-a").dblclick();
    await page.page.keyboard.type("No");
    await press("Escape");
    await press("F2");
    await press("Delete");
    await press("Enter");
    assert.equal(focus, "tab-a");
    assert.deepEqual(await page.sent(), [{ type: "rename-tab", tabId: "a", title: "Parser" }]);
  });

  it("says who waits, works, failed or is done, unread", async () => {
    await mount([
      tab("a", { isUnread: true }),
      tab("b", { waiting: 2, phase: "running" }),
      tab("c", { phase: "running" }),
      tab("d", { phase: "failed" }),
      tab("e", { isUnread: true }),
    ]);
    const names = await page.page
      .getByRole("tab")
      .evaluateAll((tabs) =>
        tabs.map(
          (one) =>
            `${one.querySelector(".tab-label")?.textContent}${one.querySelector(".control-hidden")?.textContent ?? ""}`,
        ),
      );
    assert.deepEqual(names, ["a", "b, waits for your answer", "c, working", "d, not running", "e, done, unread"]);
  });

  it("opens a tab with the current agent, or another from the menu by keyboard", async () => {
    await mount();
    await page.page.getByRole("button", { name: "New tab with Claude Code" }).click();
    await page.page.getByRole("button", { name: "More: agents, history, settings" }).click();
    await press("ArrowDown");
    await press("Enter");
    assert.deepEqual(await sent(), [
      { type: "new-tab", tabId: "new", agentId: "claude" },
      { type: "new-tab", tabId: "new", agentId: "eliza" },
    ]);
    assert.equal(await page.page.getByRole("menu").count(), 0);
  });

  it("opens a tab with the agent of the selected one rather than with the demonstration", async () => {
    const agents = settings.agents.map((agent) => ({ ...agent, isCurrent: agent.id === "eliza" }));
    await page.mount("symposium-tab-bar", { tabs: [tab("a")], selected: "a", agents });
    await page.page.getByRole("button", { name: "New tab with Claude Code" }).click();
    assert.deepEqual(await sent(), [{ type: "new-tab", tabId: "new", agentId: "claude" }]);
  });

  it("leads to history, permissions and settings", async () => {
    await mount();
    for (const name of ["Conversations…", "Permissions…", "Agents, extensions, settings…"]) {
      await page.page.getByRole("button", { name: "More: agents, history, settings" }).click();
      await page.page.getByRole("menuitem", { name }).click();
    }
    assert.deepEqual(await page.sent(), [
      { type: "show-history" },
      { type: "show-permissions" },
      { type: "open-settings" },
    ]);
  });

  it("offers to go on with another agent, where there is a conversation", async () => {
    await mount([tab("first"), tab("second")], "second");
    await page.page.getByRole("button", { name: "More: agents, history, settings" }).click();
    await page.page.getByRole("menuitem", { name: "Continue with…" }).click();
    assert.deepEqual(await page.sent(), [{ type: "continue-with", tabId: "second" }]);
  });

  it("scrolls to the selected tab when there are more than fit, and again when its title gets longer", async () => {
    const many = (title?: string) =>
      Array.from({ length: 12 }, (_, at) => tab(`session-${at}`, at === 11 && title !== undefined ? { title } : {}));
    const isInSight = (label: string) =>
      page.page.waitForFunction((label) => {
        const selected = document.querySelector("#tab-session-11");
        const [tab, row] = [selected, document.querySelector(".tab-scroll")].map((one) => one?.getBoundingClientRect());
        const isDrawn = selected?.querySelector(".tab-label")?.textContent === label;
        return isDrawn && tab && row && tab.left >= row.left - 1 && tab.right <= row.right + 1;
      }, label);
    await mount(many(), "session-11");
    await isInSight("session-11");
    const long = "A title that is as wide as a tab gets";
    await page.set({ tabs: many(long) });
    await isInSight(long);
  });

  it("has no accessibility violations, open menu and rename field included", async () => {
    await mount([tab("a", { waiting: 1 }), tab("b", { phase: "running" })]);
    for (const theme of ["light", "high-contrast", "dark"] as const) {
      await page.useTheme(theme);
      assert.deepEqual(await page.violations(), [], theme);
    }
    await page.page.getByRole("button", { name: "More: agents, history, settings" }).click();
    const menu = await page.violations();
    await press("Escape");
    await page.page.locator("#tab-a").dblclick();
    assert.deepEqual([menu, await page.violations()], [[], []]);
  });
});
