import assert from "node:assert/strict";
import type { SetUpFinding, SetUpState } from "../../../protocol/set-up.js";
import { ElementPage } from "../composer/element-page.js";

const finding = (about: string, patch: Partial<SetUpFinding> = {}): SetUpFinding => ({
  about,
  status: "ok",
  text: "is well",
  actions: [],
  ...patch,
});
const state: SetUpState = {
  agentName: "Codex",
  isChecking: false,
  faults: [
    finding("A session with the agent:", {
      status: "fail",
      text: "it needs you to sign in",
      remedy: "Open a chat with it to see the ways to sign in.",
      actions: [
        { id: "sign-in codex", label: "Sign In" },
        { id: "show-log", label: "Show Log" },
      ],
    }),
  ],
  warnings: [finding("Updates", { status: "warn", actions: [{ id: "update", label: "Update" }] })],
  optional: [finding("uv", { status: "warn", text: "is not on PATH" })],
  right: [finding("Workspace", { text: "is trusted" })],
};

describe("the set-up page", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, ["controls/controls.css", "set-up/set-up.css", "set-up/set-up-app.ts"], true);
  });
  beforeEach(() => page.mount("symposium-set-up", { state }));

  const button = (name: string) => page.page.getByRole("button", { name, exact: true });
  const summary = () => page.page.getByRole("status").innerText();

  it("says what is wrong first, and what is right, with a word for each icon", async () => {
    assert.deepEqual(await page.page.getByRole("heading", { level: 2 }).allInnerTexts(), [
      "Failed",
      "Warnings",
      "Passed",
      "Optional, not found",
    ]);
    const texts = await page.page.getByRole("listitem").allInnerTexts();
    assert.deepEqual(
      texts.map((text) => text.replaceAll(/\s+/g, " ").trim()),
      [
        "Failed: A session with the agent: it needs you to sign in Open a chat with it to see the ways to sign in. Sign In Show Log",
        "Warning: Updates is well Update",
        "Passed: Workspace is trusted",
        "Not found: uv is not on PATH",
      ],
    );
  });

  it("has a button for each remedy, named after what it is about", async () => {
    await button("Sign In: A session with the agent").click();
    await button("Update: Updates").click();
    assert.deepEqual(await page.asked(), [
      { type: "act", id: "sign-in codex" },
      { type: "act", id: "update" },
    ]);
  });

  it("checks again, shows the log and copies, from the keyboard, too", async () => {
    await page.page.keyboard.press("Tab");
    await page.page.keyboard.press("Enter");
    await button("Show Log").click();
    await button("Copy as Text").click();
    assert.deepEqual(await page.asked(), [{ type: "check-again" }, { type: "show-log" }, { type: "copy" }]);
  });

  it("says how much is wrong, and that it still checks", async () => {
    const said = [(await summary()).trim()];
    for (const patch of [
      { faults: [] },
      { faults: [], warnings: [] },
      { isChecking: true },
      { isChecking: true, agentName: undefined },
    ]) {
      await page.set({ state: { ...state, ...patch } });
      said.push((await summary()).trim());
    }
    assert.deepEqual(said, [
      "1 problem found.",
      "No problems found, 1 warning.",
      "No problems found.",
      "Checking this window, the command and Codex…",
      "Checking this window, the command…",
    ]);
  });

  it("checks no second time while it checks", async () => {
    await page.set({ state: { ...state, isChecking: true } });
    await button("Check Again").click({ force: true });
    assert.deepEqual(await page.asked(), []);
  });

  for (const width of [300, 900]) {
    it(`has no accessibility violations in any theme, and nothing is wider than ${width} pixels`, async () => {
      await page.page.setViewportSize({ width, height: 900 });
      const long = finding("Folder:", { text: `/home/${"a-very-long-name".repeat(20)}` });
      await page.set({ state: { ...state, right: [...state.right, long] } });
      for (const theme of ["light", "high-contrast", "high-contrast-light", "dark"] as const) {
        await page.useTheme(theme);
        assert.deepEqual(await page.violations(), [], theme);
      }
      assert.equal(await page.page.evaluate(() => document.documentElement.scrollWidth), width);
    });
  }
});
