import assert from "node:assert/strict";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("what is said into a running turn in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent("--steering") });

  const openTab = () => stage().openTab("Scripted");

  it("goes in at once, and is shown as that", async () => {
    const chat = await openTab();
    await chat.send("wait_for_steering");
    await chat.answers.filter({ hasText: "listening" }).waitFor();
    await chat.prompt.pressSequentially("also add tests");
    const times = chat.page.getByRole("group", { name: "When to send" }).getByRole("button");
    await times.first().waitFor();
    assert.deepEqual(await times.allInnerTexts(), ["Into this turn", "After this turn", "Stop, and send both"]);
    await chat.window.screenshot("steering-choices");
    await chat.prompt.press("Enter");
    await chat.answers.filter({ hasText: "heard also add tests" }).waitFor();
    await chat.ends.waitFor();
    const said = chat.page.getByText("Said into the running turn");
    await said.waitFor();
    await chat.window.screenshot("steering-said");
    assert.deepEqual([await said.count(), await chat.ends.count()], [1, 1]);
  });

  it("waits with the reason where the agent refuses it, and is sent when the turn has ended", async () => {
    const chat = await openTab();
    await chat.send("wait_for_steering");
    await chat.answers.filter({ hasText: "listening" }).waitFor();
    await chat.send("echo refuse this");
    await chat.page.getByText("It was told to refuse.").waitFor();
    await chat.send("go on");
    await chat.answers.filter({ hasText: "refuse this" }).waitFor();
    await chat.ends.nth(1).waitFor();
    assert.equal(await chat.page.getByRole("region", { name: "Queued prompts" }).count(), 0);
  });
});
