import assert from "node:assert/strict";
import { until } from "../support/until.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

/** The scripted agent, and it once more as another one. */
function twoAgents(): Readonly<Record<string, unknown>> {
  const settings = scriptedAgent();
  const agents = settings["symposium.agents"];
  const scripted = typeof agents === "object" && agents !== null && "scripted" in agents ? agents.scripted : undefined;
  assert.ok(typeof scripted === "object" && scripted !== null);
  return { ...settings, "symposium.agents": { scripted, second: { ...scripted, name: "Second" } } };
}

describe("going on with another agent in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: twoAgents() });

  it("is offered where an agent could not answer, and the other one has what was said and its look-up", async () => {
    const chat = await stage().openTab("Scripted");
    const { page } = chat.window;
    await chat.ask("echo the word is violet");
    await chat.ask("error -32603 You have hit your limit");
    const card = chat.page.locator("symposium-notice", { hasText: "Scripted could not answer" });
    await card.getByRole("button", { name: "Continue with…" }).click();
    const agents = page.locator(".quick-input-list .monaco-list-row");
    await agents.filter({ hasText: "Second" }).waitFor();
    assert.equal(await agents.filter({ hasText: "Scripted" }).count(), 0);
    await chat.window.screenshot("continuing-offered");
    await agents.filter({ hasText: "Second" }).click();
    await chat.page.getByText("Second goes on from here").waitFor();
    const draft = await until(
      () => chat.prompt.inputValue(),
      (text) => text !== "",
    );
    assert.equal(draft, "error -32603 You have hit your limit");
    const prompts = await until(
      () => chat.prompts.allInnerTexts(),
      (texts) => texts.length === 2,
    );
    assert.deepEqual(prompts, ["echo the word is violet", "error -32603 You have hit your limit"]);
    await chat.send("mcp");
    await chat.answers.filter({ hasText: "previous_session" }).waitFor();
    await chat.window.screenshot("continuing-gone-on");
    await chat.previousTab();
    await chat.page.getByText("Second goes on from here").waitFor({ state: "detached" });
    const left = await until(
      () => chat.prompts.count(),
      (count) => count === 2,
    );
    assert.equal(left, 2);
  });
});
