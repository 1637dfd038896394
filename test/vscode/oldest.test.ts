import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../support/until.js";
import { oldestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe(`in VS Code ${oldestVsCode.version}, the oldest that is supported, the chat view`, () => {
  const stage = useVsCode(oldestVsCode, { settings: scriptedAgent() });

  it("asks for permission, and takes the answer from the keyboard", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("permission allow");
    await chat.answerByKey("3");
    await chat.ends.waitFor();
    assert.equal(await chat.page.locator("symposium-notice").count(), 0);
  });

  it("shows every kind of update", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("updates\ncontent\ntool_calls\nplan\nusage");
    const kinds = await chat.kindsOfItems();
    assert.deepEqual(
      ["user", "text", "thought", "tool", "plan", "unknown", "turn-end"].filter((kind) => !kinds.has(kind)),
      [],
    );
  });

  it("keeps its sessions through hiding and a reload", async () => {
    const chat = await stage().openChat();
    await chat.choose("Scripted");
    await chat.ask("echo before");
    await chat.hide();
    await chat.show();
    await chat.answers.filter({ hasText: "before" }).waitFor();
    await chat.reload();
    await chat.answers.filter({ hasText: "before" }).waitFor();
    await chat.send("echo after");
    await chat.answers.filter({ hasText: "after" }).waitFor();
  });

  it("leaves edits for review in the editor", async () => {
    const folder = await mkdtemp(join(stage().code.folder.workspace, "files-"));
    const [before, after] = [join(folder, "before.txt"), join(folder, "after.txt")];
    await writeFile(before, "one\n");
    await writeFile(after, "old\n");
    const chat = await stage().openChat({ workspace: folder });
    await chat.choose("Scripted");
    await chat.ask(`fs ${before} ${after}`);
    await chat.window.openFile("after.txt");
    await chat.window.page.locator(".codelens-decoration a", { hasText: "Undo" }).click();
    await chat.page.getByRole("region", { name: "Changed files" }).waitFor({ state: "detached" });
    const content = await until(
      () => readFile(after, "utf8"),
      (text) => text === "old\n",
    );
    assert.equal(content, "old\n");
  });
});
