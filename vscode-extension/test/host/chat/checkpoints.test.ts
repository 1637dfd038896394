import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { logged, offerScriptedAgent, resetSettings, TabDriver, until } from "./chat-driver.js";

describe("going back to before a prompt in VS Code", () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const [read, written] = [join(folder, "scripted-read.txt"), join(folder, "scripted-write.txt")];

  before(offerScriptedAgent);
  after(resetSettings);
  afterEach(async () => {
    for (const file of [read, written]) await rm(file, { force: true });
  });

  it("is offered on every prompt after which files were changed, and asks first", async () => {
    await writeFile(read, "read me\n");
    await writeFile(written, "as it was\n");
    const tab = await TabDriver.open("scripted");
    await tab.ask("echo nothing changes");
    await tab.ask(`fs ${read} ${written}`);
    await tab.ask("echo nothing changes again");
    await until(async () => (await tab.items("user"))[1]?.actions !== undefined);
    const prompts = await tab.items("user");
    assert.deepEqual(
      prompts.map(({ actions }) => actions?.map(({ id }) => id)),
      [["restore-checkpoint"], ["restore-checkpoint"], undefined],
    );
    const events = await logged(() =>
      TabDriver.dispatch({
        type: "action",
        tabId: tab.tabId,
        itemId: prompts[1]?.id,
        actionId: "restore-checkpoint",
      }),
    );
    // VS Code refuses to show dialogs in extension host tests. Its error contains the dialog's text.
    assert.match(JSON.stringify(events), /Restore these files to how they were before this prompt\?/);
    await tab.close();
  });
});
