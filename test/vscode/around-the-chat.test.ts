import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("around the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  const status = (window: VsCodeWindow, words: string): Locator =>
    window.page.locator(`.statusbar-item[aria-label="Symposium: ${words}"]`);

  it("the status bar says what the agent does, and that it is ready after a turn with a permission", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("permission allow");
    await status(chat.window, "Scripted waits for your answer").waitFor();
    await chat.permission.locator("section").press("3");
    await chat.ends.waitFor();
    await status(chat.window, "Scripted is ready").waitFor();
    await chat.send("echo begun\nwait_for_cancel");
    await status(chat.window, "Scripted is working").locator(".codicon-loading").waitFor();
    await chat.stop();
    await status(chat.window, "Scripted is ready").waitFor();
    assert.equal(await status(chat.window, "Scripted is ready").locator(".codicon-loading").count(), 0);
  });

  it("a click on the status bar shows the tab that waits for an answer", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("permission allow");
    await chat.permission.getByRole("button", { name: "Once" }).waitFor();
    await chat.newTab();
    await chat.permission.waitFor({ state: "detached" });
    await status(chat.window, "Scripted waits for your answer").click();
    await chat.permission.getByRole("button", { name: "Once" }).click();
    await chat.ends.waitFor();
  });
});
