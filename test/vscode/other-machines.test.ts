import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conductorWords } from "../support/conductor-command.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { useVsCode } from "./stage.js";

describe("a chat on another machine", () => {
  const stage = useVsCode(newestVsCode);

  it("is opened in a folder there, with the agent that the machine has chosen", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "machine-"));
    await mkdir(join(workspace, "there"));
    await mkdir(join(workspace, ".devcontainer"));
    await writeFile(join(workspace, ".devcontainer", "devcontainer.json"), "{}");
    // Stands for the other machine: runs the words that follow, in place of the installed command.
    const machine = join(workspace, "machine.sh");
    const quoted = conductorWords.map((word) => `'${word}'`).join(" ");
    const config = join(workspace, "config");
    await mkdir(config);
    await writeFile(join(config, "config.jsonc"), '{ "agent": "eliza" }');
    await writeFile(machine, `#!/bin/sh\nshift\nexport SYMPOSIUM_CONFIG_DIR='${config}'\nexec ${quoted} "$@"\n`);
    await chmod(machine, 0o755);
    const chat = await stage().openChat({ workspace });
    const { window } = chat;
    await window.run("Symposium: New Chat on Another Machine");
    const rows = window.page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: "Dev container" }).waitFor();
    await window.screenshot("other-machines-listed");
    await rows.filter({ hasText: "Other…" }).click();
    const on = window.quickInput("New Chat on Another Machine");
    await on.fill(`command:${machine}`);
    await on.press("Enter");
    const folder = window.quickInput("Folder on");
    await folder.fill("there");
    await folder.press("Enter");
    await chat.ask("I dream of a mulberry");
    await window.screenshot("other-machine-chat");
    await chat.page.getByRole("tab", { selected: true }).press("Delete");
    await chat.answers.first().waitFor({ state: "detached" });
    await window.run("Symposium: Show Conversations");
    await rows.filter({ hasText: "mulberry" }).click();
    await chat.ask("And of its shade");
    assert.match((await chat.prompt.getAttribute("placeholder")) ?? "", /command:/);
    await window.screenshot("other-machine-chat-again");
    await window[Symbol.asyncDispose]();
    // The host there outlives its clients, and ends its own processes.
    const hosts = await stage().code.processes(/ host serve$/);
    assert.equal(hosts.length, 1);
    for (const pid of hosts) process.kill(pid, "SIGTERM");
  });
});
