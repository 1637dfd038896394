import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/until.js";
import type { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

/** What comments on a change, of which the file has two: the editor makes the lenses anew in any order. */
function lens(page: Page, change: 1 | 2): Locator {
  return page
    .locator(".codelens-decoration", { hasText: `Change ${change} of 2` })
    .locator("a", { hasText: "Comment" });
}

describe("comments on changes", () => {
  const stage = useVsCode(newestVsCode, {
    settings: {
      ...scriptedAgent(),
      "files.autoSave": "off",
      "symposium.followAgent": true,
      // Its panel takes the room that the comments in the file need.
      "comments.openView": "never",
    },
  });

  /** Writes a comment below the change of that number, without adding it. */
  async function write(chat: ChatView, change: 1 | 2, text: string): Promise<void> {
    const { page } = chat.window;
    await lens(page, change).click();
    // A thread that has a comment has a field for answers, too.
    await page.locator(".review-widget:not(:has(.review-comment)) .comment-form .monaco-editor.focused").waitFor();
    await page.keyboard.type(text);
  }

  it("are collected in the file, outlive a reload, and go as one prompt to the agent that made the changes", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "files-"));
    const [cart, newCart] = [join(workspace, "cart.ts"), join(workspace, "new-cart.txt")];
    await writeFile(cart, "ONE\nTWO\nTHREE\nFOUR\n");
    await writeFile(newCart, "one\nzwei\nthree\nvier\n");
    const chat = await stage().openChat({ workspace });
    const { page } = chat.window;
    await chat.choose("Scripted");
    await chat.ask(`fs ${newCart} ${cart}`);
    await chat.page.getByText("1 file changed").waitFor();
    // The agent is followed, and the focus stays.
    await page.locator('.tab[data-resource-name="cart.ts"]').waitFor();
    await chat.page.locator("symposium-prompt-field textarea:focus").waitFor();
    // What is current later is another conversation.
    await chat.newTab();
    await chat.window.openFile("cart.ts");
    const unsent = page.locator(".review-widget .review-comment", { hasText: "Not sent" });
    await write(chat, 1, "Why German?");
    await chat.window.screenshot("comment-written");
    await page.locator(".review-widget .monaco-button", { hasText: "Add Comment" }).click();
    await unsent.filter({ hasText: "Why German?" }).waitFor();
    await write(chat, 2, "Here, too.");
    await page.keyboard.press("Control+Enter");
    await unsent.filter({ hasText: "Here, too." }).waitFor();
    await chat.window.screenshot("comments-collected");

    await chat.reload();
    // A browser that reloads by itself may not have stored which editors are open.
    await chat.window.openFile("cart.ts");
    await unsent.filter({ hasText: "Why German?" }).waitFor();
    await unsent.filter({ hasText: "Here, too." }).waitFor();
    await page.locator('.title .editor-actions [aria-label^="Send Comments to the Agent"]').first().click();
    await chat.page.getByRole("button", { name: "Show more" }).click();
    const prompt = await until(
      () => chat.prompts.last().innerText(),
      (text) => text.includes("Here, too."),
    );
    assert.deepEqual(
      prompt.split("\n").filter((line) => line.trim() !== ""),
      [
        "My comments on your changes:",
        "### 1. cart.ts, line 2",
        "```diff",
        "@@ -2,1 +2,1 @@",
        "-TWO",
        "+ZWEI",
        "```",
        "Why German?",
        "### 2. cart.ts, line 4",
        "```diff",
        "@@ -4,1 +4,1 @@",
        "-FOUR",
        "+VIER",
        "```",
        "Here, too.",
      ],
    );
    assert.equal(await chat.prompts.first().innerText(), `fs ${newCart} ${cart}`);
    await chat.window.run("Comments: Focus on Comments View");
    const rows = page.locator(".comments-panel .monaco-list-row");
    await rows.filter({ hasText: "Here, too." }).waitFor();
    // What was sent is resolved, and closed.
    await page.locator(".comments-panel .codicon-comment-unresolved").first().waitFor({ state: "detached" });
    await unsent.first().waitFor({ state: "hidden" });
    await chat.window.screenshot("comments-sent");
    assert.equal(await readFile(cart, "utf8"), "ONE\nZWEI\nTHREE\nVIER\n");
  });
});
