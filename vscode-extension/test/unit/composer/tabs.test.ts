import assert from "node:assert/strict";
import type { AgentChoice, TabState, ToExtension } from "../../../protocol/index.js";
import { ElementPage } from "./element-page.js";
import { settings, tabState } from "./samples.js";

describe("the tab bar", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, [
      "controls/controls.css",
      "controls/listbox.css",
      "chat/tabs/tabs.css",
      "chat/tabs/no-tab.ts",
      "chat/tabs/tab-bar.ts",
    ]);
  });
  after(() => page[Symbol.asyncDispose]());

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

  it("scrolls to the selected tab when there are more than fit", async () => {
    const many = Array.from({ length: 12 }, (_, index) => tab(`session-${index}`));
    await mount(many, "session-11");
    await page.page.waitForFunction(() => {
      const edges = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
      const [tab, row] = [edges("#tab-session-11"), edges(".tab-scroll")];
      return tab && row && tab.left >= row.left - 1 && tab.right <= row.right + 1;
    });
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

  describe("without a tab", () => {
    const choice = (id: string, place: AgentChoice["place"], patch: Partial<AgentChoice> = {}): AgentChoice => ({
      id,
      name: id,
      place,
      isCurrent: false,
      ...patch,
    });
    const first: readonly AgentChoice[] = [
      choice("claude-code", "here", { detail: "1.2.3", description: "Seems signed in: X is set" }),
      choice("mine", "here"),
      choice("codex", "install", { detail: "about 175 MB" }),
      choice("amp", "install", { picture: "data:image/svg+xml;base64,PHN2Zy8+" }),
      choice("eliza", "demo", { name: "Demo (no model)", isCurrent: true }),
    ];
    const mountFirst = (agents = first, more: object = {}) =>
      page.mount("symposium-no-tab", { agents, isListing: false, isTrusted: true, ...more });
    const listed = () =>
      page.page
        .locator("symposium-no-tab")
        .evaluate((element) =>
          [...element.querySelectorAll("h3, .no-tab-agent-name")].map(
            (one) => `${one.tagName === "H3" ? "# " : ""}${one.textContent}`,
          ),
        );

    it("gives the choice of agents", async () => {
      await mountFirst(settings.agents);
      await page.page.getByRole("button", { name: "Eliza" }).click();
      assert.deepEqual(await sent(), [{ type: "new-tab", tabId: "new", agentId: "eliza" }]);
    });

    it("chooses no agent that takes the place of another under the mouse", async () => {
      await mountFirst(settings.agents);
      const [claude] = settings.agents;
      await page.page.getByRole("button", { name: "Claude Code" }).hover();
      await page.page.mouse.down();
      const found = { ...claude, id: "found", name: "Found" };
      await page.set({ agents: [found, ...settings.agents] });
      await page.page.mouse.up();
      assert.deepEqual(
        (await sent()).filter((message) => message.type === "new-tab" && message.agentId === "found"),
        [],
      );
    });

    it("shows the agents of this machine first, then those one click away, and the demonstration last", async () => {
      await mountFirst();
      assert.deepEqual(await listed(), [
        "# On this machine",
        "claude-code",
        "mine",
        "# One click away",
        "codex",
        "amp",
        "# Without a model",
        "Demo (no model)",
      ]);
      const texts = await page.page.locator(".no-tab-agent").allInnerTexts();
      assert.deepEqual(
        texts.slice(0, 3).map((text) => text.split("\n").map((line) => line.trim())),
        [
          ["claude-code", "1.2.3", "Seems signed in: X is set"],
          ["M", "mine"],
          ["codex", "about 175 MB"],
        ],
      );
    });

    it("marks the agent that the user has chosen, or the first of this machine, and never the demonstration", async () => {
      const marked = () => page.page.locator(".no-tab-agent.current .no-tab-agent-name").allInnerTexts();
      await mountFirst();
      const unchosen = await marked();
      await mountFirst(first.map((one) => ({ ...one, isCurrent: one.id === "mine" })));
      const chosen = [await marked(), (await listed()).slice(0, 3)];
      await mountFirst(first.filter(({ place }) => place !== "here"));
      assert.deepEqual(
        [unchosen, chosen, await marked()],
        [["claude-code"], [["mine"], ["# On this machine", "mine", "claude-code"]], []],
      );
    });

    it("gives each agent an icon: its picture, a sign of its own or its letter", async () => {
      await mountFirst();
      const icons = page.page.locator(".no-tab-agent .agent-icon");
      assert.deepEqual(
        await icons.evaluateAll((all) => all.map(({ tagName, textContent }) => [tagName, textContent])),
        [
          ["svg", ""],
          ["SPAN", "M"],
          ["svg", ""],
          ["IMG", ""],
          ["svg", ""],
        ],
      );
    });

    it("says that it looks for agents, and then that it found none", async () => {
      const status = page.page.locator(".no-tab-note");
      await mountFirst(first.slice(-1), { isListing: true });
      const looking = await status.innerText();
      await page.set({ isListing: false });
      assert.deepEqual(
        [looking.trim(), (await status.innerText()).trim()],
        ["Looking for agents on this machine…", "No agent was found on this machine."],
      );
    });

    it("does not say that there is none where nobody could look, but why", async () => {
      await mountFirst(first.slice(-1), { listProblem: "The command ended with code 3." });
      const why = "Agents on this machine could not be looked for: The command ended with code 3.";
      assert.equal((await page.page.locator(".no-tab-note").innerText()).trim(), why);
      await mountFirst(first, { listProblem: "The command ended with code 3." });
      assert.equal((await page.page.locator(".no-tab-note").innerText()).trim(), why);
    });

    it("does not count the chosen agent to this machine where its program is not there", async () => {
      await mountFirst([choice("kiro-cli", "elsewhere", { isCurrent: true }), ...first.slice(-1)]);
      assert.deepEqual(await listed(), ["# From its maker", "kiro-cli", "# Without a model", "Demo (no model)"]);
      assert.equal((await page.page.locator(".no-tab-note").innerText()).trim(), "No agent was found on this machine.");
    });

    it("shows a few of many agents that can be installed at first, and all of this machine", async () => {
      const agents = Array.from({ length: 30 }, (_, at) => choice(`Agent ${at}`, at < 9 ? "here" : "install"));
      await mountFirst(agents);
      const names = page.page.locator(".no-tab-agent");
      const before = await names.count();
      await page.page.getByRole("button", { name: "All 21 that can be installed" }).click();
      assert.deepEqual([before, await names.count()], [9 + 4, 30]);
    });

    it("leads to agents, first steps and conversations", async () => {
      await page.mount("symposium-no-tab", { agents: [], isTrusted: true });
      for (const name of ["Add an agent", "First steps", "Conversations"])
        await page.page.getByRole("button", { name }).click();
      assert.deepEqual(await page.sent(), [
        { type: "open-settings" },
        { type: "open-walkthrough" },
        { type: "show-history" },
      ]);
    });

    it("offers no agent in restricted mode, but the way out", async () => {
      await page.mount("symposium-no-tab", { agents: settings.agents, isTrusted: false });
      const agents = await page.page.getByRole("button", { name: "Eliza" }).count();
      await page.page.getByRole("button", { name: "Manage workspace trust" }).click();
      assert.deepEqual([agents, await page.sent()], [0, [{ type: "manage-trust" }]]);
    });

    it("has no accessibility violations", async () => {
      for (const theme of ["light", "high-contrast", "high-contrast-light", "dark"] as const) {
        await page.useTheme(theme);
        await mountFirst();
        assert.deepEqual(await page.violations(), [], theme);
      }
    });
  });
});
