import assert from "node:assert/strict";
import type { GuardState, GuardStatus } from "../../../protocol/guard.js";
import { ElementPage } from "../composer/element-page.js";

const status: GuardStatus = {
  file: "/home/me/.symposium/guard.jsonc",
  sandbox: { isThere: true, isRoot: false },
  agents: [
    {
      agent: "codex",
      level: "sandbox",
      place: "/home/me/.symposium/guard.jsonc:2",
      isKnown: true,
      isBuiltIn: false,
      summary: "Codex and its programs run in a sandbox.",
      parts: [{ title: "Hosts", text: "Symposium asks you about every other host." }],
    },
    { agent: "other", problem: "It is not known." },
  ],
  rules: [
    { effect: "deny", subject: "command", patterns: ["git push"], reason: "CI.", place: "/p/.symposium/guard.jsonc:7" },
    { effect: "allow", subject: "host", patterns: ["a.example"], in: "/p", place: "/home/me/.symposium/guard.jsonc:4" },
    {
      effect: "allow",
      subject: "command",
      patterns: ["make x > y"],
      ...{ agent: "codex", kind: "execute", exact: true, cwd: "/p/a" },
      place: "/home/me/.symposium/guard.jsonc:6",
    },
  ],
  budgets: [{ scope: "day", figure: "dollars", limit: 20, place: "/home/me/.symposium/guard.jsonc:9" }],
  problems: ["/home/me/.symposium/guard.jsonc:5:3: A rule must be an object."],
  decisions: [
    { time: "2026-01-02T03:04:05Z", agent: "Codex", subject: "host b.example:443", rule: "no", answer: "deny" },
  ],
  refused: [
    { host: "b.example:443", agents: ["Codex"], count: 2, time: "2026-01-02T03:04:05Z", reason: "no", canOpen: true },
    { host: "10.0.0.1:80", agents: ["Codex"], count: 1, time: "2026-01-02T03:04:05Z", reason: "x", canOpen: false },
  ],
};
const state: GuardState = { folder: "/p", isLoading: false, names: { codex: "Codex", other: "Other" }, status };

describe("the page Guard", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, ["controls/controls.css", "guard/guard.css", "guard/guard-app.ts"], true);
  });
  beforeEach(() => page.mount("symposium-guard", { state }));
  const button = (name: string) => page.page.getByRole("button", { name, exact: true });

  it("says what each agent may do, what was refused, what the rules are and what was decided", async () => {
    assert.deepEqual(await page.page.getByRole("heading").allInnerTexts(), [
      "Guard",
      "Agents",
      "Codex",
      "Other",
      "Refused hosts",
      "Rules",
      "Recent decisions",
    ]);
    assert.equal(await page.page.getByText("Symposium asks you about every other host.").count(), 1);
    assert.equal(await page.page.getByRole("alert").count(), 1);
    assert.equal(await page.page.getByRole("cell", { name: "host b.example:443" }).count(), 1);
    assert.equal(await button("Open 10.0.0.1:80").count(), 0);
    const narrowed = "exactly this · run in /p/a · calls of kind “execute” · by codex";
    assert.equal(await page.page.getByText(narrowed, { exact: true }).count(), 1);
  });

  it("says that there is no agent where none is chosen or found", async () => {
    await page.mount("symposium-guard", { state: { ...state, status: { ...status, agents: [] } } });
    const agents = page.page.getByRole("region", { name: "Agents" });
    assert.equal((await agents.innerText()).split("\n").at(-1), "No agents. Choose or install one first.");
  });

  it("names the organisation at its rules, and offers no level below its lowest", async () => {
    const place = "/etc/symposium/policy.jsonc:7";
    const [first, ...others] = status.agents;
    const limited: GuardStatus = {
      ...status,
      organisation: ["/etc/symposium/policy.jsonc"],
      agents: [{ ...first, lowest: { level: "sandbox" } } as GuardStatus["agents"][number], ...others],
      rules: [{ effect: "deny", subject: "command", patterns: ["git push"], place }, ...status.rules],
    };
    await page.mount("symposium-guard", { state: { ...state, status: limited } });
    assert.equal(await page.page.getByText("Set by your organisation", { exact: true }).count(), 1);
    const disabled = page.page.getByRole("combobox", { name: "Protection of Codex" }).locator("option[disabled]");
    assert.deepEqual(await disabled.evaluateAll((all) => all.map((one) => one.getAttribute("value"))), [
      "rules",
      "off",
    ]);
  });

  it("says of no agent in a sandbox that its mode alone decides what it asks", async () => {
    const sentences = [];
    for (const agents of [status.agents, status.agents.slice(1)]) {
      await page.mount("symposium-guard", {
        state: { ...state, status: { ...status, agents, rules: [], budgets: [] } },
      });
      sentences.push(await page.page.getByRole("region", { name: "Rules" }).locator("p").innerText());
    }
    assert.deepEqual(sentences, [
      "No rules. Agents decide when to ask; in a sandbox, they don't ask about what it restricts.",
      "No rules. Agents decide when to ask.",
    ]);
  });

  it("switches, opens hosts, and leads to the lines of rules, by the keyboard, too", async () => {
    await page.page.getByRole("combobox", { name: "Protection of Codex" }).selectOption("rules");
    await button("Open b.example:443").press("Enter");
    await button(".symposium/guard.jsonc:7: deny command git push").press("Space");
    await button(".symposium/guard.jsonc:9: 20 dollars").click();
    await button("Remove: allow command make x > y").press("Enter");
    assert.equal(await button("Remove: deny command git push").count(), 0);
    await button("Use guard.jsonc: Codex").click();
    await button("Open guard.jsonc").click();
    await button("Refresh").click();
    assert.deepEqual(await page.asked(), [
      { type: "set-level", agent: "codex", level: "rules" },
      { type: "open-host", host: "b.example:443" },
      { type: "open-place", place: "/p/.symposium/guard.jsonc:7" },
      { type: "open-place", place: "/home/me/.symposium/guard.jsonc:9" },
      {
        type: "take-back",
        place: "/home/me/.symposium/guard.jsonc:6",
        subject: "command",
        patterns: ["make x > y"],
      },
      { type: "open-place", place: "/home/me/.symposium/guard.jsonc:2" },
      { type: "open-file" },
      { type: "refresh" },
    ]);
  });

  it("takes back no other rule than the one that the button was pressed at, and keeps the focus in the list", async () => {
    const rules = ["a", "b", "c"].map((name, at) => ({
      ...{ effect: "allow" as const, subject: "command", patterns: [`make ${name}`] },
      place: `/home/me/.symposium/guard.jsonc:${10 + at}`,
    }));
    const show = (from: number) =>
      page.set({ state: { ...state, status: { ...status, rules: rules.slice(from), budgets: [] } } });
    await show(0);
    await button("Remove: allow command make a").hover();
    await page.page.mouse.down();
    await show(1);
    await page.page.mouse.up();
    assert.deepEqual(await page.asked(), []);
    await button("Remove: allow command make b").focus();
    await show(2);
    await page.page.keyboard.press("Enter");
    assert.deepEqual(await page.asked(), []);
    const focused = await page.page.evaluate(() => [
      document.activeElement?.tagName,
      document.activeElement?.textContent,
    ]);
    assert.equal(focused[0], "LI");
    assert.match(focused[1] ?? "", /make c/);
  });

  it("says why there is no sandbox, and offers none then", async () => {
    const sandbox = { isThere: false, reason: "bubblewrap is not installed", remedy: "Install it." };
    await page.set({ state: { ...state, status: { ...status, sandbox } } });
    assert.equal(await page.page.getByText("There is no sandbox here: bubblewrap is not installed.").count(), 1);
    assert.equal(await page.page.locator("option[value=sandbox]").isDisabled(), true);
  });

  for (const width of [300, 900]) {
    it(`has no accessibility violations in any theme, and nothing is wider than ${width} pixels`, async () => {
      await page.page.setViewportSize({ width, height: 900 });
      for (const theme of ["light", "high-contrast", "high-contrast-light", "dark"] as const) {
        await page.useTheme(theme);
        assert.deepEqual(await page.violations(), [], theme);
      }
      assert.equal(await page.page.evaluate(() => document.documentElement.scrollWidth), width);
    });
  }
});
