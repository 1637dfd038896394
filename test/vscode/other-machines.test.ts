import assert from "node:assert/strict";
import { chmod, chown, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd } from "../support/child.js";
import { conductorProgram, conductorWords } from "../support/conductor-command.js";
import { writeProgram } from "../support/installed-command.js";
import { PseudoTerminal } from "../support/pseudo-terminal.js";
import { repositoryRoot } from "../support/repository.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { SshMachine, whyNoSshServer } from "../support/ssh-machine.js";
import { commandEnvironment } from "../support/started-command.js";
import { skipAllBecause, useTestScope } from "../support/test-scope.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { ZedClient } from "../support/zed-client.js";
import { useVsCode } from "./stage.js";

const limitMs = 60_000;
const server = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");
const clock = { command: process.execPath, args: [server] };

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
    const own = join(stage().code.folder.home, ".symposium");
    await mkdir(own, { recursive: true });
    await writeFile(join(own, "config.jsonc"), JSON.stringify({ mcpServers: { clock } }));
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
    const question = window.page.locator(".monaco-dialog-box", { hasText: "Share your MCP servers with agents on" });
    await question.filter({ hasText: "could call the tools of: clock." }).waitFor();
    await window.screenshot("other-machine-servers");
    await question.getByRole("button", { name: "Share", exact: true }).click();
    const folder = window.quickInput("Folder on");
    await folder.fill("there");
    await folder.press("Enter");
    await chat.ask("I dream of a mulberry");
    await window.screenshot("other-machine-chat");
    await chat.ask("use tool clock::now with {}");
    await chat.answers.filter({ hasText: "noon" }).waitFor();
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

describe("a chat with another user's agent over SSH", () => {
  let folder: RunFolder | undefined;
  let command = "";
  before(async function () {
    const missing = whyNoSshServer();
    if (missing !== undefined) skipAllBecause(this, missing);
    folder = await createRunFolder("ssh");
    command = join(folder.root, "command");
    // VS Code replaces PATH by the login shell's, which lacks the `ssh` that knows the machine.
    await writeProgram(command, `PATH="$HOME/../bin:$PATH" exec '${process.execPath}' '${conductorProgram}' "$@"`);
  });
  const stage = useVsCode(newestVsCode, () => ({ settings: { "symposium.acpAgentPath": command } }));
  const scope = useTestScope();
  after(() => folder?.[Symbol.asyncDispose]());

  it("keeps its turn when the window closes, for a terminal, Zed and the next window", async () => {
    const { code } = stage();
    const machine = await SshMachine.start(scope(), code.folder);
    const settings = join(machine.home, ".symposium");
    await mkdir(settings);
    await writeFile(join(settings, "config.jsonc"), '{ "agent": "eliza" }');
    await chown(settings, machine.uid, machine.uid);
    const workspace = await mkdtemp(join(code.folder.workspace, "ssh-"));
    const chat = await stage().openChat({ workspace });
    const { window } = chat;
    await window.run("Symposium: New Chat on Another Machine");
    await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "build" }).click();
    const place = window.quickInput("Folder on ssh:build");
    await place.fill("project");
    await place.press("Enter");
    await chat.send("ask permission to paint the fence");
    await chat.permission.waitFor();
    await window.screenshot("ssh-chat-asks");
    // A page that is only closed leaves its extension host, which waits for a reconnection.
    await window.page.goto("about:blank");

    const start = { env: commandEnvironment(code.folder), cwd: workspace };
    const words = [...conductorWords, "sessions", "board", "--on", machine.on];
    const printed = await runToEnd({ words, ...start }, limitMs);
    const row = /^ {2}waiting +(\S+) .*ask permission to paint the fence$/m;
    const [, id = assert.fail(printed.stdout + printed.stderr)] = row.exec(printed.stdout) ?? [];
    const terminal = scope().use(new PseudoTerminal({ words, ...start }));
    await terminal.shows(/> waiting .*ask permission/);
    await terminal.type("", /allow\? /);
    await terminal.type("y", /You chose "Allow once"[^]*> $/);
    await terminal.type("/exit", /> idle .*ask permission/);
    assert.match(await terminal.leave("q"), /ended with 0$/);

    const run = ["run-with", "--on", machine.on, "--folder", "project", "--agent", "eliza"];
    const server = { command: "node", args: [conductorProgram, ...run], env: {} };
    const zed = scope().use(new ZedClient({ server, project: workspace, env: start.env }));
    await zed.connect();
    assert.deepEqual([...(await zed.listThreads())], [[id, "ask permission to paint the fence"]]);
    assert.match((await zed.reopenThread(id)).text, /^You chose "Allow once"/);
    assert.deepEqual(zed.faults, []);

    const next = await stage().openChat({ workspace });
    await next.answers.filter({ hasText: 'You chose "Allow once"' }).waitFor();
    await next.ends.first().waitFor();
    await next.window.screenshot("ssh-chat-again");
    await next.window.page.goto("about:blank");
  });
});
