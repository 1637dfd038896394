import assert from "node:assert/strict";
import type { AgentEntry, ExtensionEntry, SettingsState } from "../../../protocol/settings.js";
import { ElementPage } from "./element-page.js";

const agent = (id: string, patch: Partial<AgentEntry> = {}): AgentEntry => ({
  id,
  name: id,
  source: "registry",
  version: "1.0.0",
  isInstalled: true,
  isPinned: false,
  isCurrent: false,
  bypassPermissions: false,
  ...patch,
});
const extension = (id: string, patch: Partial<ExtensionEntry> = {}): ExtensionEntry => ({
  id,
  name: id,
  description: `What ${id} does`,
  source: "built-in",
  isEnabled: true,
  ...patch,
});
const state: SettingsState = {
  agents: [
    agent("Claude", {
      isCurrent: true,
      newerVersion: "1.1.0",
      previousVersion: "0.9.0",
      description: "Anthropic's agent",
    }),
    agent("Eliza", { source: "built-in", isInstalled: false, bypassPermissions: true }),
    agent("Codex", { isInstalled: false, description: "OpenAI's agent" }),
    agent("Gemini", { isInstalled: false, progress: { label: "Downloading", percent: 40 } }),
    agent("Broken", { isInstalled: false, problem: "npm is not there. Install Node.js." }),
  ],
  extensions: [
    extension("sparkle"),
    extension("ferris", { isEnabled: false }),
    extension("cargo", { version: "1.0.0", newerVersion: "2.0.0" }),
  ],
  recommendations: [
    {
      id: "rust",
      name: "Rust helper",
      reason: "The workspace has a Cargo.toml.",
      consent: "Installs the crate rust-helper.",
    },
  ],
  switches: [
    { key: "requireModifierToSend", label: "Ctrl+Enter sends", description: "`Enter` makes a line.", value: false },
  ],
  problems: [{ setting: "symposium.agents", message: "“npx” is missing in “x”.", hint: "Name a package." }],
  isTrusted: true,
  isLoading: false,
  registryProblem: "https://registry.example cannot be fetched: ENOTFOUND.",
};

describe("the settings view", () => {
  let page: ElementPage;
  const parts = ["controls/controls.css", "settings/settings.css", "settings/settings-app.ts"];
  before(async function () {
    page = await ElementPage.open(this, parts, true);
  });
  beforeEach(() => page.mount("symposium-settings", { state }));

  const click = (name: string) => page.page.getByRole("button", { name, exact: true }).click();
  const press = (key: string) => page.page.keyboard.press(key);
  const order = () => page.page.locator("symposium-extension-list .row-name").allTextContents();

  it("separates agents that can be used from those of the registry", async () => {
    const usable = await page.page.locator("fieldset .row-name").allTextContents();
    await page.page.getByText("More agents (3)").click();
    const listed = await page.page.locator(".registry .row-name").allTextContents();
    assert.deepEqual(
      [usable, listed],
      [
        ["Claude", "Eliza"],
        ["Codex", "Gemini", "Broken"],
      ],
    );
  });

  it("sets the agent of new tabs, updates and adds agents", async () => {
    await page.page.getByRole("radio", { name: "Eliza" }).check();
    await click("Update to 1.1.0: Claude");
    await click("Check for updates");
    await click("Add an agent");
    assert.deepEqual(await page.asked(), [
      { type: "set-current-agent", id: "Eliza" },
      { type: "update", kind: "agent", id: "Claude" },
      { type: "check-for-updates" },
      { type: "add-agent" },
    ]);
  });

  it("bypasses permissions, pins, rolls back, checks and removes in an agent's details", async () => {
    await click("Details of Claude");
    await page.page.getByRole("switch", { name: "Bypass permissions" }).check();
    for (const name of ["Pin this version", "Back to 0.9.0", "Check", "Remove"]) await click(name);
    assert.deepEqual(await page.asked(), [
      { type: "toggle-bypass-permissions", id: "Claude", value: true },
      { type: "pin", kind: "agent", id: "Claude", isPinned: true },
      { type: "rollback", kind: "agent", id: "Claude" },
      { type: "run-doctor", id: "Claude" },
      { type: "remove", kind: "agent", id: "Claude" },
    ]);
  });

  it("shows what the extension says, not what was clicked, once it has answered", async () => {
    await click("Details of Claude");
    const toggle = page.page.getByRole("switch", { name: "Bypass permissions" });
    await toggle.check();
    await page.set({ state: { ...state, agents: state.agents.map((one) => ({ ...one })) } });
    assert.equal(await toggle.isChecked(), false);
  });

  it("says of one agent alone that it comes with Symposium, and removes every one that is installed", async () => {
    const builtIn = { source: "built-in" } as const;
    const agents = [
      agent("eliza", { ...builtIn, isInstalled: false }),
      agent("claude-code", builtIn),
      agent("codex", { ...builtIn, isInstalled: false }),
      agent("opencode"),
    ];
    await page.set({ state: { ...state, agents: agents.map((one) => ({ ...one, isCurrent: true })) } });
    const said = [];
    for (const { id } of agents) {
      await click(`Details of ${id}`);
      const details = page.page.locator(".row-details");
      const from = (await details.locator("p.control-note").innerText()).trim();
      said.push([id, from, await details.getByRole("button", { name: "Remove" }).count()]);
    }
    assert.deepEqual(said, [
      ["eliza", "Comes with Symposium.", 0],
      ["claude-code", "From Symposium's own list.", 1],
      ["codex", "From Symposium's own list.", 0],
      ["opencode", "From the registry.", 1],
    ]);
  });

  it("finds agents of the registry and installs them", async () => {
    await page.page.getByText("More agents (3)").click();
    await page.page.getByRole("searchbox").fill("openai");
    const found = await page.page.locator(".registry .row-name").allTextContents();
    await click("Install Codex");
    assert.deepEqual(found, ["Codex"]);
    assert.deepEqual(await page.asked(), [{ type: "install", kind: "agent", id: "Codex" }]);
  });

  it("keeps the focus on the agent that has it while others are found", async () => {
    await page.page.getByRole("radio", { name: "Eliza" }).focus();
    await page.set({ state: { ...state, agents: [agent("Amp"), ...state.agents] } });
    assert.equal(await page.page.evaluate(() => document.activeElement?.id), "agent-Eliza");
  });

  it("has what was searched for and opened when it was hidden", async () => {
    await page.page.evaluate(() => {
      document.addEventListener("symposium-remember", (event) => {
        if (event instanceof CustomEvent) Object.assign(globalThis, { kept: event.detail as unknown });
      });
    });
    await page.page.getByText("More agents (3)").click();
    await page.page.getByRole("searchbox").fill("openai");
    await page.page.getByRole("button", { name: "Details of Claude" }).click();
    const remembered = await page.page.evaluate(() => Reflect.get(globalThis, "kept") as unknown);
    await page.mount("symposium-settings", { state, remembered });
    assert.equal(await page.page.getByRole("searchbox").inputValue(), "openai");
    assert.equal(await page.page.getByRole("button", { name: "Remove" }).isVisible(), true);
  });

  it("installs no other agent than the one that was pressed while the list changes", async () => {
    await page.page.getByText("More agents (3)").click();
    await page.page.getByRole("button", { name: "Install Codex" }).hover();
    await page.page.mouse.down();
    await page.set({ state: { ...state, agents: state.agents.filter(({ id }) => id !== "Codex") } });
    await page.page.mouse.up();
    assert.deepEqual(await page.asked(), []);
  });

  it("shows progress, which can be cancelled, and problems", async () => {
    await page.page.getByText("More agents (3)").click();
    await click("Cancel");
    assert.deepEqual(await page.asked(), [{ type: "cancel-install", kind: "agent", id: "Gemini" }]);
    assert.deepEqual(
      [
        await page.page.getByRole("progressbar").getAttribute("value"),
        await page.page.locator(".row-problem").textContent(),
      ],
      ["40", "npm is not there. Install Node.js."],
    );
  });

  it("enables, disables, updates, deletes and adds extensions", async () => {
    await page.page.getByRole("checkbox", { name: "ferris" }).check();
    await click("Update to 2.0.0: cargo");
    await click("Delete cargo");
    await click("Add an extension");
    assert.deepEqual(await page.asked(), [
      { type: "toggle-extension", id: "ferris", isEnabled: true },
      { type: "update", kind: "extension", id: "cargo" },
      { type: "delete-extension", id: "cargo" },
      { type: "add-extension" },
    ]);
  });

  it("moves extensions with the arrow keys, says so, and keeps the focus on the handle", async () => {
    await page.page.getByRole("button", { name: "Move sparkle" }).focus();
    await press("ArrowUp");
    await press("ArrowDown");
    await press("ArrowDown");
    await press("ArrowDown");
    assert.deepEqual(await order(), ["ferris", "cargo", "sparkle"]);
    assert.deepEqual(await page.asked(), [
      { type: "reorder-extensions", ids: ["ferris", "sparkle", "cargo"] },
      { type: "reorder-extensions", ids: ["ferris", "cargo", "sparkle"] },
    ]);
    assert.deepEqual(
      [
        await page.page.evaluate(() => document.activeElement?.id),
        await page.page.locator("symposium-extension-list [role=status]").textContent(),
      ],
      ["handle-sparkle", "sparkle is now 3 of 3."],
    );
  });

  it("keeps the last move while answers to earlier ones arrive", async () => {
    await page.page.getByRole("button", { name: "Move sparkle" }).focus();
    await press("ArrowDown");
    await press("ArrowDown");
    const { extensions } = state;
    await page.set({
      state: { ...state, extensions: [...extensions.slice(1, 2), ...extensions.slice(0, 1), ...extensions.slice(2)] },
    });
    assert.deepEqual(await order(), ["ferris", "cargo", "sparkle"]);
  });

  it("moves extensions by dragging", async () => {
    await page.page
      .getByRole("button", { name: "Move cargo" })
      .dragTo(page.page.getByRole("button", { name: "Move sparkle" }));
    assert.deepEqual(await order(), ["cargo", "sparkle", "ferris"]);
    assert.deepEqual(await page.asked(), [{ type: "reorder-extensions", ids: ["cargo", "sparkle", "ferris"] }]);
  });

  it("puts everything back when it is dropped elsewhere", async () => {
    await page.page
      .getByRole("button", { name: "Move cargo" })
      .dragTo(page.page.getByRole("heading", { name: "General" }));
    assert.deepEqual([await order(), await page.asked()], [["sparkle", "ferris", "cargo"], []]);
  });

  it("says why something is recommended and what adding it does, before it is added", async () => {
    const text = await page.page.locator(".recommendation").textContent();
    await click("Add Rust helper");
    await click("Stop recommending Rust helper");
    assert.match(text ?? "", /The workspace has a Cargo\.toml\.\s+Installs the crate rust-helper\./u);
    assert.deepEqual(await page.asked(), [
      { type: "accept-recommendation", id: "rust" },
      { type: "dismiss-recommendation", id: "rust" },
    ]);
  });

  it("switches what is used most and leads to all settings, rules and the check", async () => {
    await page.page.getByRole("switch", { name: "Ctrl+Enter sends" }).check();
    for (const name of ["All settings", "Permission rules", "Check setup", "Open symposium.agents"]) await click(name);
    assert.deepEqual(await page.asked(), [
      { type: "set-switch", key: "requireModifierToSend", value: true },
      { type: "open-settings" },
      { type: "show-permissions" },
      { type: "run-doctor" },
      { type: "open-settings", query: "symposium.agents" },
    ]);
  });

  it("says why the registry could not be asked", async () => {
    await page.page.getByText("The registry could not be asked").click();
    assert.equal(await page.page.locator(".registry-problem").innerText(), state.registryProblem);
  });

  it("says when the workspace is not trusted", async () => {
    await page.set({ state: { ...state, isTrusted: false } });
    assert.equal(await page.page.getByText("This workspace is in Restricted Mode").count(), 1);
  });

  it("says that it asks, and not that there is no agent, until it knows", async () => {
    await page.set({ state: { ...state, agents: [], isLoading: true } });
    const asking = await page.page.getByText("Asking the registry…").count();
    const before = await page.page.getByText("No agents yet.").count();
    await page.set({ state: { ...state, agents: [], isLoading: false } });
    assert.deepEqual([asking, before, await page.page.getByText("No agents yet.").count()], [1, 0, 1]);
  });

  it("has no accessibility violations in any theme", async () => {
    await click("Details of Claude");
    await page.page.getByText("More agents (3)").click();
    await page.page.getByText("The registry could not be asked").click();
    for (const theme of ["light", "high-contrast", "high-contrast-light", "dark"] as const) {
      await page.useTheme(theme);
      assert.deepEqual(await page.violations(), [], theme);
    }
  });
});
