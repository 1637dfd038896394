import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../support/until.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("what the agent uses of the editor", () => {
  // What is not saved stays so: in a browser, VS Code would save it after a second.
  const stage = useVsCode(newestVsCode, { settings: { ...scriptedAgent(), "files.autoSave": "off" } });

  const openFolder = async () => {
    const folder = await mkdtemp(join(stage().code.folder.workspace, "files-"));
    const [before, after] = [join(folder, "before.txt"), join(folder, "after.txt")];
    await writeFile(before, "one\ntwo\nthree\nfour\nfive\nsix\n");
    await writeFile(after, "one\nTWO\nthree\nfour\nfive\nsix\n");
    const chat = await stage().openChat({ workspace: folder });
    await chat.choose("Scripted");
    return { chat, before, after };
  };

  it("reads what is not saved, and leaves its edits for review, change by change", async () => {
    const { chat, before, after } = await openFolder();
    const { window } = chat;
    await window.openFile("before.txt");
    await window.page.keyboard.press("Control+Home");
    await window.page.keyboard.type("not saved ");
    await chat.send(`fs ${before} ${after}`);
    await chat.ends.waitFor();
    const [unsaved, written] = [await readFile(before, "utf8"), await readFile(after, "utf8")];
    await window.openFile("after.txt");
    const lens = (change: string, words: string) =>
      window.page.locator(".codelens-decoration", { hasText: `Change ${change}` }).locator("a", { hasText: words });
    await lens("1 of 2", "Undo").waitFor();
    await lens("2 of 2", "Undo").waitFor();
    await window.screenshot("review-in-editor");
    await lens("2 of 2", "Undo").click();
    await lens("1 of 1", "Keep").click();
    await chat.page.getByRole("region", { name: "Changed files" }).waitFor({ state: "detached" });
    // The marks go with the document, a moment before the file is saved.
    const wanted = "NOT SAVED ONE\nTWO\nthree\nfour\nfive\nsix\n";
    const reviewed = await until(
      () => readFile(after, "utf8"),
      (text) => text === wanted,
    );
    assert.deepEqual(
      { unsaved, written, reviewed },
      {
        unsaved: "one\ntwo\nthree\nfour\nfive\nsix\n",
        written: "NOT SAVED ONE\nTWO\nTHREE\nFOUR\nFIVE\nSIX\n",
        reviewed: wanted,
      },
    );
  });

  it("is a terminal whose output shows in the chat", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("terminal node --print 6*7");
    await chat.ends.waitFor();
    await chat.page.locator("symposium-output", { hasText: "42" }).waitFor();
  });

  it("is a mode that the user picks", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.page.getByRole("button", { name: /^Mode: Ask/ }).click();
    await chat.page.getByRole("option", { name: /Code/ }).click();
    await chat.page.getByRole("button", { name: /^Mode: Code/ }).waitFor();
  });
});

describe("what the user hands to the agent", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  it("is a file that was found by @ and a part of its name", async () => {
    const folder = await mkdtemp(join(stage().code.folder.workspace, "files-"));
    await writeFile(join(folder, "needle.txt"), "found");
    const chat = await stage().openChat({ workspace: folder });
    await chat.choose("Scripted");
    await chat.prompt.pressSequentially("echo see @need");
    // The one that Enter takes.
    await chat.page.getByRole("option", { name: /needle\.txt/, selected: true }).waitFor();
    await chat.prompt.press("Enter");
    await chat.page.locator("symposium-composer .chip", { hasText: "needle.txt" }).waitFor();
    await chat.prompt.press("Enter");
    await chat.ends.waitFor();
    assert.match(await chat.page.locator("symposium-user").innerText(), /needle\.txt/);
  });

  it("is the selection of an editor", async () => {
    const folder = await mkdtemp(join(stage().code.folder.workspace, "files-"));
    await writeFile(join(folder, "poem.txt"), "one\ntwo\nthree\n");
    const chat = await stage().openChat({ workspace: folder });
    await chat.choose("Scripted");
    const { window } = chat;
    await window.openFile("poem.txt");
    await window.page.keyboard.press("Control+Home");
    await window.page.keyboard.press("Shift+ArrowDown");
    await window.run("Discuss in Symposium");
    await chat.page.locator("symposium-composer .chip", { hasText: "poem.txt" }).waitFor();
  });
});
