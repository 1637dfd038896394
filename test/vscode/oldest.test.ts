import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../support/until.js";
import { oldestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe(`in VS Code ${oldestVsCode.version}, the oldest that is supported, the chat view`, () => {
  const stage = useVsCode(oldestVsCode, { settings: scriptedAgent() });

  it("answers, asks for permission, shows every update, outlives a reload and leaves edits for review", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "files-"));
    const [before, after] = [join(workspace, "before.txt"), join(workspace, "after.txt")];
    await writeFile(before, "one\n");
    await writeFile(after, "old\n");
    const chat = await stage().openChat({ workspace });
    await chat.choose("Eliza");
    await chat.ask("I feel tired today.");
    assert.match((await chat.answerTexts()).join(), /tired/);

    await chat.newTab();
    await chat.send("permission allow");
    await chat.answerByKey("3");
    await chat.ends.waitFor();
    assert.equal(await chat.page.locator("symposium-notice").count(), 0);
    await chat.ask("updates\ncontent\ntool_calls\nplan\nusage");
    const kinds = await chat.kindsOfItems();
    const all = ["user", "text", "thought", "tool", "plan", "unknown", "turn-end"];
    assert.deepEqual(
      all.filter((kind) => !kinds.has(kind)),
      [],
    );

    await chat.newTab();
    await chat.ask("echo before");
    await chat.hide();
    await chat.show();
    await chat.answers.filter({ hasText: "before" }).waitFor();
    await chat.reload();
    await chat.answers.filter({ hasText: "before" }).waitFor();
    await chat.ask(`fs ${before} ${after}`);
    await chat.window.openFile("after.txt");
    await chat.window.page.locator(".codelens-decoration a", { hasText: "Undo" }).click();
    await chat.page.getByRole("region", { name: "Changed files" }).waitFor({ state: "detached" });
    await until(
      () => readFile(after, "utf8"),
      (text) => text === "old\n",
    );
  });
});
