import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../support/until.js";
import type { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("going back in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  /** A chat whose agent has changed a file that was "as it was\n". */
  async function afterAChange(): Promise<{ readonly chat: ChatView; readonly written: string }> {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "files-"));
    const [read, written] = [join(workspace, "read.txt"), join(workspace, "written.txt")];
    await writeFile(read, "from the agent\n");
    await writeFile(written, "as it was\n");
    const chat = await stage().openChat({ workspace });
    await chat.choose("Scripted");
    await chat.ask(`fs ${read} ${written}`);
    return { chat, written };
  }

  it("opens a past session again that is found by what was said in it", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("echo about the pomegranate");
    await chat.newTab();
    await chat.tabs.first().focus();
    await chat.tabs.first().press("Delete");
    await chat.tabs.nth(1).waitFor({ state: "detached" });
    await chat.page.locator("[role=tab]:focus").waitFor();
    await chat.window.run("Symposium: Show Conversations");
    const { page } = chat.window;
    const search = chat.window.quickInput("Conversations");
    await search.fill("pomegranate");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "pomegranate" }).first().waitFor();
    await search.press("Enter");
    await chat.answers.filter({ hasText: "pomegranate" }).waitFor();
    await chat.ask("echo here again");
    assert.match((await chat.answerTexts()).join(" "), /pomegranate.*here again/s);
  });

  it("renames and deletes past sessions in their list, which stays open", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("echo about the quince");
    const tabs = await chat.tabs.count();
    await chat.page.getByRole("tab", { selected: true }).press("Delete");
    await chat.tabs.nth(tabs - 1).waitFor({ state: "detached" });
    await chat.window.run("Symposium: Show Conversations");
    const { page } = chat.window;
    const session = (title: string) => page.locator(".quick-input-list .monaco-list-row", { hasText: title });
    await session("quince").hover();
    await session("quince").locator(".codicon-edit").click();
    const title = chat.window.quickInput("New title");
    await title.fill("Fruit");
    await title.press("Enter");
    await session("Fruit").hover();
    await session("Fruit").locator(".codicon-trash").click();
    const question = page.locator(".monaco-dialog-box", { hasText: 'Delete "Fruit"?' });
    await question.locator(".monaco-button", { hasText: "Delete" }).click();
    await question.waitFor({ state: "detached" });
    // The list is back, and still has its line until the conversation is gone.
    const list = chat.window.quickInput("Conversations");
    await list.waitFor();
    await page.locator(".quick-input-list .monaco-list-row", { hasText: /./ }).first().waitFor();
    await session("Fruit").waitFor({ state: "detached" });
    assert.equal(await list.isVisible(), true);
    await list.press("Escape");
  });

  it("puts the files back that the agent changed after a prompt, once the user agrees", async () => {
    const { chat, written } = await afterAChange();
    const changed = await readFile(written, "utf8");
    await chat.page.getByRole("button", { name: "Restore files" }).click();
    await chat.window.page.locator(".monaco-dialog-box .monaco-button", { hasText: /^Restore/ }).click();
    // The editor empties a file before it fills it.
    const restored = await until(
      () => readFile(written, "utf8"),
      (text) => text !== changed && text !== "",
    );
    assert.deepEqual([changed, restored], ["FROM THE AGENT\n", "as it was\n"]);
  });

  it("leaves the files alone while the agent is still at work", async () => {
    const { chat, written } = await afterAChange();
    const restore = chat.page.getByRole("button", { name: "Restore files" });
    await restore.waitFor();
    await chat.send("echo begun\nwait_for_cancel");
    await chat.answers.filter({ hasText: "begun" }).waitFor();
    await restore.first().click();
    const dialog = chat.window.page.locator(".monaco-dialog-box", { hasText: "Stop it first" });
    await dialog.locator(".monaco-button").first().click();
    assert.equal(await readFile(written, "utf8"), "FROM THE AGENT\n");
    await chat.stop();
  });

  it("leaves the files alone where the agent has begun to work while the user was asked", async () => {
    const { chat, written } = await afterAChange();
    await chat.page.getByRole("button", { name: "Restore files" }).click();
    const dialog = (text: string) => chat.window.page.locator(".monaco-dialog-box", { hasText: text });
    const restore = dialog("Put these files back").locator(".monaco-button", { hasText: /^Restore/ });
    await restore.waitFor();
    // Behind the dialog, as where it was on its way.
    await chat.page.locator("symposium-prompt-field textarea").fill("echo begun\nwait_for_cancel");
    await chat.page.getByRole("button", { name: /^Send/ }).dispatchEvent("click");
    await chat.answers.filter({ hasText: "begun" }).waitFor();
    await restore.click();
    await dialog("Stop it first").locator(".monaco-button").first().click();
    assert.equal(await readFile(written, "utf8"), "FROM THE AGENT\n");
    await chat.stop();
  });
});
