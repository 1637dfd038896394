import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../support/until.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "../vscode/stage.js";

describe(`the packaged extension in VS Code ${newestVsCode.version}, with no agent chosen`, () => {
  // In a browser, VS Code would save after a second what a review leaves unsaved.
  const settings = { "symposium.agents": scriptedAgent()["symposium.agents"], "files.autoSave": "off" };
  const stage = useVsCode(newestVsCode, { settings });

  it("leads from the first page to an approved edit, an undone hunk and a reload that keeps the conversation", async () => {
    const { workspace } = stage().code.folder;
    const [cart, draft] = [join(workspace, "cart.txt"), join(workspace, "draft.txt")];
    const before = "ONE\nTWO\nTHREE\nFOUR\nFIVE\nSIX\n";
    await writeFile(cart, before);
    await writeFile(draft, "1\nTwo\nThree\nFour\nFive\n6\n");

    const chat = await stage().openChat({ workspace });
    assert.equal(await chat.tabs.count(), 0);
    await chat.choose("Scripted");
    await chat.ask("echo Hello.");
    const end = await chat.lastEnd();
    await chat.send(`permission allow ${cart}\nfs ${draft} ${cart}`);
    await chat.permission.getByRole("button", { name: "Once" }).waitFor();
    const unapproved = await readFile(cart, "utf8");
    await chat.answerByKey("3");
    await chat.endAfter(end).waitFor();
    const approved = await readFile(cart, "utf8");
    const answers = await chat.answerTexts();

    const { window } = chat;
    await window.openFile("cart.txt");
    const lens = (change: string, action: string) =>
      window.page.locator(".codelens-decoration", { hasText: `Change ${change}` }).locator("a", { hasText: action });
    await lens("1 of 2", "Undo").click();
    await lens("1 of 1", "Keep").click();
    await chat.page.getByRole("region", { name: "Changed files" }).waitFor({ state: "detached" });
    // The marks go with the document, a moment before the file is saved.
    const reviewed = "ONE\nTWO\nTHREE\nFOUR\nFIVE\n6\n";
    await until(
      () => readFile(cart, "utf8"),
      (text) => text === reviewed,
    );

    await chat.reload();
    await chat.answers.filter({ hasText: "Hello." }).waitFor();
    await chat.ask("echo I am back.");
    assert.deepEqual(
      { unapproved, approved, answers: await chat.answerTexts(), text: await readFile(cart, "utf8") },
      {
        unapproved: before,
        approved: "1\nTWO\nTHREE\nFOUR\nFIVE\n6\n",
        answers: ["Hello.", answers.at(-1), "I am back."],
        text: reviewed,
      },
    );
  });
});
