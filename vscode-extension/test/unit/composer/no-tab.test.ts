import assert from "node:assert/strict";
import type { AgentChoice, ToExtension } from "../../../protocol/index.js";
import { ElementPage } from "./element-page.js";
import { settings } from "./samples.js";

describe("the panel without a tab", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, [
      "controls/controls.css",
      "controls/listbox.css",
      "chat/tabs/tabs.css",
      "chat/tabs/no-tab.ts",
    ]);
  });

  /** Tab ids are made up by the page. */
  const sent = async (): Promise<ToExtension[]> =>
    (await page.sent()).map((message) => (message.type === "new-tab" ? { ...message, tabId: "new" } : message));

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
      "# Available to install",
      "codex",
      "amp",
      "# Try without a model",
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
    assert.deepEqual(await icons.evaluateAll((all) => all.map(({ tagName, textContent }) => [tagName, textContent])), [
      ["svg", ""],
      ["SPAN", "M"],
      ["svg", ""],
      ["IMG", ""],
      ["svg", ""],
    ]);
  });

  it("says that it looks for agents, and then that it found none", async () => {
    const status = page.page.locator(".no-tab-note");
    await mountFirst(first.slice(-1), { isListing: true });
    const looking = await status.innerText();
    await page.set({ isListing: false });
    assert.deepEqual(
      [looking.trim(), (await status.innerText()).trim()],
      ["Looking for agents on this machine…", "No agents found on this machine."],
    );
  });

  it("does not say that there is none where nobody could look, but why", async () => {
    await mountFirst(first.slice(-1), { listProblem: "The command ended with code 3." });
    const why = "Couldn't search for agents on this machine: The command ended with code 3.";
    assert.equal((await page.page.locator(".no-tab-note").innerText()).trim(), why);
    await mountFirst(first, { listProblem: "The command ended with code 3." });
    assert.equal((await page.page.locator(".no-tab-note").innerText()).trim(), why);
  });

  it("does not count the chosen agent to this machine where its program is not there", async () => {
    await mountFirst([choice("kiro-cli", "elsewhere", { isCurrent: true }), ...first.slice(-1)]);
    assert.deepEqual(await listed(), ["# From its publisher", "kiro-cli", "# Try without a model", "Demo (no model)"]);
    assert.equal((await page.page.locator(".no-tab-note").innerText()).trim(), "No agents found on this machine.");
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

  it("offers no agent in Restricted Mode, but the way out", async () => {
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
