import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conductorProgram } from "../support/conductor-command.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("a folder that the user does not trust", () => {
  let folder: RunFolder;
  let [command, mark] = ["", ""];
  before(async () => {
    folder = await createRunFolder("trust");
    [command, mark] = [join(folder.root, "command.mjs"), join(folder.root, "has-run")];
    await writeFile(
      command,
      `import { writeFileSync } from "node:fs";
       writeFileSync(${JSON.stringify(mark)}, "");
       await import(${JSON.stringify(conductorProgram)});`,
    );
  });
  const stage = useVsCode(newestVsCode, () => ({
    settings: {
      ...scriptedAgent(),
      "symposium.acpAgentPath": command,
      "security.workspace.trust.startupPrompt": "never",
    },
    asksForTrust: true,
  }));
  after(() => folder[Symbol.asyncDispose]());

  it("starts nothing, says why and how to change it, and starts an agent when that was done", async () => {
    const chat = await stage().openChat();
    await chat.page.getByText("This workspace is in restricted mode.").waitFor();
    const settings = await chat.openSettings();
    await settings.getByText("This workspace is in restricted mode").waitFor();
    const hasRunBefore = existsSync(mark);
    await chat.page.getByRole("button", { name: "Manage workspace trust" }).click();
    const dialog = chat.window.page.locator(".workspace-trust-editor");
    await dialog.getByRole("button", { name: "Trust", exact: true }).click();
    await dialog.locator(".workspace-trust-header.workspace-trust-trusted").waitFor();
    const modal = chat.window.page.locator(".monaco-modal-editor-block");
    await modal.getByRole("button", { name: /^Close/ }).click();
    // Until it is gone, it can still give the focus back to where it was before.
    await modal.waitFor({ state: "detached" });
    await chat.choose("Scripted");
    await chat.ask("echo now it works");
    assert.deepEqual(
      { hasRunBefore, hasRun: existsSync(mark), answers: await chat.answerTexts() },
      { hasRunBefore: false, hasRun: true, answers: ["now it works"] },
    );
  });
});
