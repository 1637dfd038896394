import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { repositoryRoot } from "../support/repository.js";
import type { ChatView } from "../support/vscode/chat-view.js";
import { modelExtension } from "../support/vscode/model-extension.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { useVsCode } from "./stage.js";

const clock = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");

describe("the tools of VS Code for agents of the panel", () => {
  const stage = useVsCode(newestVsCode, () => ({
    settings: {
      "symposium.editorTools": "all",
      "symposium.bypassPermissions": ["eliza"],
      "symposium.extensions": [],
    },
  }));

  const useTool = (name: string, args: object): string => `use tool vscode_tools::${name} with ${JSON.stringify(args)}`;
  const lastAnswer = async (chat: ChatView): Promise<string> => (await chat.answerTexts()).at(-1) ?? "";
  /** Has the agent call a tool about which VS Code asks its user, and answers with a button. */
  async function asked(chat: ChatView, prompt: string, question: string, button: string): Promise<string> {
    const before = await chat.lastEnd();
    await chat.send(prompt);
    const dialog = chat.window.page.locator(".monaco-dialog-box", { hasText: question });
    await dialog.locator(".monaco-button", { hasText: button }).click();
    await chat.endAfter(before).waitFor();
    return lastAnswer(chat);
  }

  it("run as VS Code runs them, after its own question where a tool has one, and none of them is our own", async () => {
    const chat = await stage().openChat({ developmentPath: modelExtension });
    await chat.choose("Demo");
    await chat.ask(useTool("consumer_shout", { text: "from afar" }));
    assert.match(await lastAnswer(chat), /FROM AFAR/);
    await chat.newTab();
    const question = "The tool asks before it runs.";
    assert.match(await asked(chat, useTool("consumer_careful", { text: "with leave" }), question, "Yes"), /with leave/);
    await chat.newTab();
    assert.match(
      await asked(chat, useTool("consumer_careful", { text: "without leave" }), question, "Cancel"),
      /did not allow "consumer_careful" in VS Code/,
    );
    await chat.newTab();
    await chat.ask(useTool("symposium-agent-action", {}));
    assert.match(await lastAnswer(chat), /has no tool "symposium-agent-action"/);

    await chat.window.run("Symposium: Show What This Agent Gets");
    const lines = chat.window.page.locator(".quick-input-list .monaco-list-row", { hasText: "vscode_tools" });
    await lines.filter({ hasText: "tools" }).first().waitFor();
    await chat.window.screenshot("editor-tools-context");
  });

  it("are those of the MCP servers that VS Code has started, also in a session that was there before", async () => {
    const { root } = stage().code.folder;
    const entry = { type: "stdio", command: process.execPath, args: [clock] };
    await writeFile(join(root, "user", "User", "mcp.json"), JSON.stringify({ servers: { clock: entry } }));
    const chat = await stage().openChat();
    await chat.choose("Demo");
    await chat.ask("hello");

    const { page } = chat.window;
    const row = (text: string): Locator => page.locator(".quick-input-list .monaco-list-row", { hasText: text });
    await chat.window.run("MCP: List Servers");
    await row("clock").click();
    await row("Start Server").click();
    // Its output takes the focus when it has come up.
    await page
      .locator(".output-view-container, .part.panel")
      .locator(".view-line", { hasText: "Discovered" })
      .waitFor();
    await chat.window.run("Symposium: MCP Servers");
    const servers = chat.window.webview("symposium-dev.symposium", 1);
    await servers.getByRole("button", { name: /^\d+ tools?, .*: vscode_tools$/ }).click();
    await servers.getByRole("checkbox", { name: /^mcp_clock_now / }).waitFor();
    await chat.window.screenshot("editor-tools-servers");
    assert.match(await asked(chat, useTool("mcp_clock_now", {}), "Run now", "Yes"), /noon/);
  });
});
