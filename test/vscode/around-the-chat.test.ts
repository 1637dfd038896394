import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Locator } from "playwright-core";
import { until } from "../support/until.js";
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
    await chat.answerByKey("3");
    await chat.ends.waitFor();
    await status(chat.window, "Scripted is ready").waitFor();
    await chat.send("echo begun\nwait_for_cancel");
    await status(chat.window, "Scripted is working").locator(".codicon-loading").waitFor();
    await chat.stop();
    await status(chat.window, "Scripted is ready").waitFor();
    assert.equal(await status(chat.window, "Scripted is ready").locator(".codicon-loading").count(), 0);
  });

  it("a badge counts the chats that ask or are done while the user looks elsewhere, until they are looked at", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "badge-"));
    const script = join(workspace, "wait.sh");
    await writeFile(script, 'until [ -e "$0.end" ]; do sleep 0.1; done\n');
    const chat = await stage().openChat({ workspace });
    const badge = chat.entry.locator(".badge-content");
    const words = async (): Promise<string> =>
      (await chat.entry.locator("a.action-label").getAttribute("aria-label")) ?? "";
    await chat.choose("Scripted");
    await chat.page.getByText(`It works in ${basename(workspace)}.`, { exact: true }).waitFor();
    await chat.send(`terminal sh ${script}`);
    await chat.page.getByRole("tab", { name: "working" }).waitFor();
    await chat.newTab();
    await chat.send("permission allow");
    await chat.permission.getByRole("button", { name: "Once" }).waitFor();
    assert.equal(await badge.isVisible(), false);
    await chat.hide();
    await badge.filter({ hasText: "1" }).waitFor();
    const says = async (wanted: RegExp): Promise<void> =>
      assert.match(await until(words, (text) => wanted.test(text)), wanted);
    await says(/1 chat waits for your answer$/);
    await writeFile(`${script}.end`, "");
    await badge.filter({ hasText: "2" }).waitFor();
    await says(/1 chat waits for your answer; 1 chat is done, unread$/);
    await chat.window.screenshot("badge-of-chats");
    await chat.show();
    await badge.filter({ hasText: "1" }).waitFor();
    await chat.window.screenshot("badge-of-a-tab");
    await chat.page.getByRole("tab", { name: "done, unread" }).click();
    await chat.page.getByRole("tab", { name: "done, unread" }).waitFor({ state: "detached" });
    await says(/1 chat waits for your answer$/);
    await chat.page.getByRole("tab", { name: "waits for your answer" }).click();
    await chat.answerByKey("3");
    await chat.ends.waitFor();
    await badge.waitFor({ state: "hidden" });
  });

  it("the command that opens it lets the user write at once, also where it was hidden", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "focus-"));
    await writeFile(join(workspace, "elsewhere.txt"), "");
    const chat = await stage().openChat({ workspace });
    await chat.choose("Scripted");
    const field = chat.page.locator("symposium-prompt-field textarea:focus");
    await chat.window.openFile("elsewhere.txt");
    await chat.window.run("Symposium: Open Chat");
    await field.waitFor();
    await chat.hide();
    await chat.window.openFile("elsewhere.txt");
    await chat.window.run("Symposium: Open Chat");
    await field.waitFor();
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
