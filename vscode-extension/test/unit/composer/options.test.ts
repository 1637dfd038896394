import assert from "node:assert/strict";
import type { ConfigOption } from "../../../protocol/index.js";
import { ElementPage } from "./element-page.js";
import { settings, tabState } from "./samples.js";

const models = Array.from({ length: 14 }, (_, index) => ({
  value: `m${index}`,
  name: `Model ${index}`,
  description: index === 7 ? "for tables" : "general",
  group: index < 5 ? "New" : "Old",
}));
const options: ConfigOption[] = [
  { id: "fast", name: "Fast mode", category: "model_config", value: false, description: "Costs more" },
  { id: "model", name: "Model", category: "model", value: "m2", choices: models },
  {
    id: "mode",
    name: "Mode",
    category: "mode",
    value: "ask",
    choices: [
      { value: "ask", name: "Ask" },
      { value: "plan", name: "Plan" },
    ],
  },
  {
    id: "style",
    name: "Style",
    value: "short",
    choices: [
      { value: "short", name: "Short" },
      { value: "long", name: "Long" },
    ],
  },
];

describe("the options of an agent", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, [
      "controls/controls.css",
      "controls/listbox.css",
      "chat/composer/composer.css",
      "chat/composer/composer.ts",
    ]);
  });

  const mount = (patch = {}) =>
    page.mount("symposium-composer", { tabId: "t", state: tabState({ options, ...patch }), settings });
  const button = (name: string) => page.page.getByRole("button", { name });
  const press = (key: string) => page.page.keyboard.press(key);

  it("are pickers for mode and model, and a panel for the rest", async () => {
    await mount();
    const pickers = await page.page.locator(".picker-text").allTextContents();
    await button("More agent options").click();
    await page.page.getByRole("switch", { name: "Fast mode" }).click();
    await page.page.getByLabel("Style").selectOption("long");
    assert.deepEqual(pickers, ["Ask", "Model 2"]);
    assert.deepEqual(await page.sent(), [
      { type: "set-option", tabId: "t", optionId: "fast", value: true },
      { type: "set-option", tabId: "t", optionId: "style", value: "long" },
    ]);
  });

  it("are chosen with the keyboard alone, and the focus comes back", async () => {
    await mount();
    await button("Mode: Ask").focus();
    await press("ArrowDown");
    await press("ArrowDown");
    await press("Enter");
    const focused = await page.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    assert.deepEqual(await page.sent(), [{ type: "set-option", tabId: "t", optionId: "mode", value: "plan" }]);
    assert.equal(focused, "Mode: Ask");
  });

  it("are found by the letter their name begins with", async () => {
    await mount();
    await button("Mode: Ask").click();
    await press("p");
    await press("Enter");
    assert.deepEqual(await page.sent(), [{ type: "set-option", tabId: "t", optionId: "mode", value: "plan" }]);
  });

  it("can be searched by name and description when there are many", async () => {
    await mount();
    await button("Model: Model 2").click();
    const groups = await page.page.locator(".listbox-group").allTextContents();
    await page.page.keyboard.type("tables");
    const found = await page.page.locator(".listbox-label").allTextContents();
    await press("Enter");
    assert.deepEqual([groups, found], [["New", "Old"], ["Model 7"]]);
    assert.deepEqual(await page.sent(), [{ type: "set-option", tabId: "t", optionId: "model", value: "m7" }]);
  });

  it("close with Escape and change nothing", async () => {
    await mount({ phase: "running" });
    await button("Model: Model 2").click();
    await press("Escape");
    await button("More agent options").click();
    await press("Escape");
    assert.deepEqual([await page.sent(), await page.page.locator(".popup").count()], [[], 0]);
  });

  it("close when something else is clicked", async () => {
    await mount();
    await button("More agent options").click();
    await page.page.locator(".prompt-text").click();
    assert.equal(await page.page.locator(".popup").count(), 0);
  });

  it("say why they cannot be changed while the agent starts", async () => {
    await mount({ phase: "starting" });
    const picker = button("Mode: Ask");
    await picker.click({ force: true });
    assert.deepEqual(
      [
        await picker.getAttribute("aria-disabled"),
        await picker.getAttribute("title"),
        await page.page.locator(".popup").count(),
      ],
      ["true", "Claude Code is still starting.", 0],
    );
  });

  it("have no accessibility violations while a list is open", async () => {
    await mount();
    await button("Model: Model 2").click();
    assert.deepEqual(await page.violations(), []);
  });
});
