import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "../support/repository.js";
import { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const clock = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");
const extension = "symposium-dev.symposium";

describe("a project's configuration that nobody has allowed", () => {
  let starts = "";
  const stage = useVsCode(newestVsCode, () => ({
    settings: scriptedAgent(),
    env: ({ root }) => ({ SYMPOSIUM_CONFIG_DIR: join(root, "symposium") }),
  }));

  /** A window in a project with a server that leaves a mark for each start. */
  async function openProject() {
    const { folder } = stage().code;
    const workspace = await mkdtemp(join(folder.workspace, "project-"));
    starts = join(folder.root, `starts-${workspace.slice(-6)}`);
    await Promise.all([".git", ".symposium"].map((name) => mkdir(join(workspace, name))));
    const script = `require("fs").appendFileSync(${JSON.stringify(starts)}, "x"); import(${JSON.stringify(clock)});`;
    const mcpServers = { docs: { command: process.execPath, args: ["-e", script] } };
    await writeFile(join(workspace, ".symposium", "config.jsonc"), JSON.stringify({ mcpServers }));
    return stage().openWindow({ workspace });
  }
  const countStarts = async (): Promise<number> => (await readFile(starts, "utf8").catch(() => "")).length;

  it("is shown whole and allowed by a button on the page of MCP servers, and nothing of it starts before", async () => {
    const window = await openProject();
    const chat = await ChatView.open(window);
    await window.run("Symposium: MCP Servers");
    // The chat view came first.
    const page = window.webview(extension, 1);
    const server = page.locator(".mcp-server", { has: page.getByRole("heading", { name: "docs", exact: true }) });
    await server.locator(".mcp-state", { hasText: "Not allowed" }).waitFor();
    await server.getByRole("button", { name: "Allow…: docs" }).click();
    const dialog = window.page.locator(".monaco-dialog-box", { hasText: "Allow this project's configuration?" });
    assert.match(await dialog.innerText(), /\.symposium[/\\]config\.jsonc.*mcpServers\.docs: .*appendFileSync/s);
    await window.screenshot("project-approval-question");
    await dialog.locator(".monaco-button", { hasText: "Allow" }).click();
    await server.locator(".mcp-state", { hasText: "Not running" }).waitFor();
    assert.equal(await countStarts(), 0);

    await chat.choose("Scripted");
    await chat.ask("echo hello");
    await server.locator(".mcp-state", { hasText: "Running in 1 session" }).waitFor();
    assert.equal(await countStarts(), 1);
  });

  it("can be allowed where VS Code shows what an agent gets, and stays as it is without a yes", async () => {
    const window = await openProject();
    await window.run("Symposium: Show What This Agent Gets");
    const line = window.page.locator(".quick-input-list .monaco-list-row", { hasText: "docs" });
    const dialog = window.page.locator(".monaco-dialog-box", { hasText: "Allow this project's configuration?" });
    for (const [button, after] of [
      ["Cancel", "Not sent: you have not allowed"],
      ["Allow", "Sent:"],
    ] as const) {
      await line.filter({ hasText: "Not sent: you have not allowed" }).hover();
      await line.getByRole("button", { name: "Allow This Project's Configuration" }).click();
      await dialog.locator(".monaco-button", { hasText: button }).click();
      await line.filter({ hasText: after }).waitFor();
    }
    await window.screenshot("project-approval-context");
    assert.equal(await countStarts(), 0);
  });
});
