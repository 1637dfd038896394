import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/until.js";
import { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const before = [
  "export function total(prices: number[]): number {",
  "  let sum = 0;",
  "  for (const price of prices) sum += price;",
  "  return sum;",
  "}",
  "",
  "export function isEmpty(prices: number[]): boolean {",
  "  return prices.length == 0;",
  "}",
  "",
].join("\n");
/** Two changes that are far apart. */
const after = before.replace("let sum = 0", "let sum = 0.0").replace("==", "===");

function lens(page: Page, words: string): Locator {
  return page.locator(".codelens-decoration a", { hasText: words });
}

/** An answer to a change, found by the change's words: the editor makes lenses again in any order. */
function offered(page: Page, change: string, words: string): Locator {
  return page.locator(".codelens-decoration", { hasText: change }).locator("a", { hasText: words });
}

function status({ page }: VsCodeWindow, words: string): Locator {
  return page.locator(".statusbar-item", { hasText: words });
}

/** Waits for the text of a file: marks and bars change a moment before the editor has saved the file. */
async function becomes(file: string, wanted: string): Promise<void> {
  await until(
    () => readFile(file, "utf8"),
    (text) => text === wanted,
  );
}

async function disappears(file: string): Promise<void> {
  await until(
    () => existsSync(file),
    (exists) => !exists,
  );
}

/** Ends a process, which may be gone already. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (failure) {
    if (!(failure instanceof Error && "code" in failure && failure.code === "ESRCH")) throw failure;
  }
}

function git(folder: string, ...args: readonly string[]): void {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "core.autocrlf=false"];
  execFileSync("git", [...identity, ...args], { cwd: folder, stdio: "pipe" });
}

describe("the review of changes in the editor", () => {
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
  async function comment(chat: ChatView, change: 1 | 2, text: string): Promise<void> {
    const { page } = chat.window;
    await offered(page, `Change ${change} of 2`, "Comment").click();
    // A thread that has a comment has a field for answers, too.
    await page.locator(".review-widget:not(:has(.review-comment)) .comment-form .monaco-editor.focused").waitFor();
    await page.keyboard.type(text);
  }

  it("takes an agent's changes from comments over undo, refusal and differences back to before its prompt", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "agent-"));
    const file = (name: string): string => join(workspace, name);
    const [cart, tax] = [file("cart.ts"), file("tax.ts")];
    await writeFile(cart, "ONE\nTWO\nTHREE\nFOUR\n");
    await writeFile(file("new-cart.txt"), "one\nzwei\nthree\nvier\n");
    await writeFile(file("new-tax.txt"), "tax of the agent\n");
    const chat = await stage().openChat({ workspace });
    const { page } = chat.window;
    const dialog = (text: string): Locator => page.locator(".monaco-dialog-box", { hasText: text });
    const press = (text: string, button: string | RegExp): Promise<void> =>
      dialog(text).locator(".monaco-button", { hasText: button }).click();
    await chat.choose("Scripted");
    const asked = `fs ${file("new-tax.txt")} ${tax}\nfs ${file("new-cart.txt")} ${cart}`;
    await chat.ask(asked);
    await chat.page.getByText("2 files changed").waitFor();
    // The editor follows the agent, and the focus stays.
    await page.locator('.tab[data-resource-name="cart.ts"]').waitFor();
    await chat.page.locator("symposium-prompt-field textarea:focus").waitFor();
    // Another conversation is current when the comments are sent.
    await chat.newTab();

    await chat.window.openFile("cart.ts");
    const unsent = page.locator(".review-widget .review-comment", { hasText: "Not sent" });
    await comment(chat, 1, "Why German?");
    await page.locator(".review-widget .monaco-button", { hasText: "Add Comment" }).click();
    await unsent.filter({ hasText: "Why German?" }).waitFor();
    await comment(chat, 2, "Here, too.");
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
    await until(
      () => chat.prompts.last().innerText(),
      (text) => /line 2[^]*\+ZWEI[^]*Why German\?[^]*line 4[^]*\+VIER[^]*Here, too\./.test(text),
    );
    assert.equal(await chat.prompts.first().innerText(), asked);
    await chat.window.run("Comments: Focus on Comments View");
    await page.locator(".comments-panel .monaco-list-row", { hasText: "Here, too." }).waitFor();
    // Symposium resolves and closes the threads that it has sent.
    await page.locator(".comments-panel .codicon-comment-unresolved").first().waitFor({ state: "detached" });
    await unsent.first().waitFor({ state: "hidden" });

    await chat.window.openFile("cart.ts");
    await offered(page, "Change 1 of 2", "Undo").click();
    await lens(page, "Change 1 of 1").waitFor();
    await becomes(cart, "ONE\nTWO\nTHREE\nVIER\n");
    await appendFile(cart, "mine\n");
    await appendFile(tax, "mine\n");
    await chat.page.getByTitle("Undo all changes").click();
    await dialog('"tax.ts" was not undone').waitFor();
    await chat.window.screenshot("undo-refused");
    await becomes(cart, "ONE\nTWO\nTHREE\nFOUR\nmine\n");
    assert.equal(await readFile(tax, "utf8"), "TAX OF THE AGENT\nmine\n");
    await press("was not undone", "Show Differences");
    await page.locator(".tab.active", { hasText: "the agent's version" }).waitFor();
    await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    await chat.window.screenshot("undo-refused-differences");
    await chat.page.getByText("1 file changed").waitFor();

    await chat.ask("terminal cp new-cart.txt cart.ts");
    await becomes(cart, "one\nzwei\nthree\nvier\n");
    const restore = chat.page.getByRole("button", { name: "Restore files" }).last();
    await restore.click();
    await dialog("Restore these files").waitFor();
    await chat.window.screenshot("go-back-dialog");
    // Behind the dialog, as a prompt that was on its way.
    await chat.page.locator("symposium-prompt-field textarea").fill("echo begun\nwait_for_cancel");
    await chat.page.getByRole("button", { name: /^Send/ }).dispatchEvent("click");
    await chat.answers.filter({ hasText: "begun" }).waitFor();
    await press("Restore these files", /^Restore/);
    await press("Stop it, then restore", /./);
    assert.equal(await readFile(cart, "utf8"), "one\nzwei\nthree\nvier\n");
    await chat.stop();
    await chat.ends.last().getByText("Stopped").waitFor();
    await restore.click();
    await press("Restore these files", "Files and Conversation");
    await becomes(cart, "ONE\nTWO\nTHREE\nFOUR\nmine\n");
    await until(
      () => chat.prompt.inputValue(),
      (text) => text === "terminal cp new-cart.txt cart.ts",
    );
    await chat.window.screenshot("gone-back");
  });

  it("marks what git, another program and an agent write, goes on after a reload, and leaves out what the user types", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "all-"));
    const [cart, tax] = [join(workspace, "cart.ts"), join(workspace, "tax.ts")];
    await writeFile(cart, before);
    git(workspace, "init", "--quiet", "--initial-branch=main");
    git(workspace, "add", ".");
    git(workspace, "commit", "--quiet", "--message", "first");
    git(workspace, "checkout", "--quiet", "-b", "other");
    await writeFile(cart, after);
    git(workspace, "commit", "--quiet", "--all", "--message", "other");
    git(workspace, "checkout", "--quiet", "main");
    const window = await stage().openWindow({ workspace });
    const { page } = window;
    await window.run("Symposium: Toggle Review of All Changes");
    await status(window, "0 files to review").waitFor();

    git(workspace, "checkout", "--quiet", "other");
    await status(window, "1 file to review").waitFor();
    await window.openFile("cart.ts");
    await lens(page, "Change 1 of 2, +1 −1, by git checkout").waitFor();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("// mine");
    await page.locator(".tab.active.dirty").waitFor();
    await page.keyboard.press("Control+S");
    await becomes(cart, `${after}// mine`);
    // The editor makes the marks again for the typed text.
    await until(
      () => lens(page, "Change").count(),
      (count) => count === 2,
    );
    await window.run("Symposium: Undo All Changes");
    await status(window, "0 files to review").waitFor();
    await becomes(cart, `${before}// mine`);

    // Not what the user saved before: a text of the user's is not under review.
    const written = `${after.replace("0.0", "0.00")}// mine`;
    const script = `const fs = require("fs"); fs.writeFileSync("cart.ts", ${JSON.stringify(written)}); fs.writeFileSync("tax.ts", "tax\\n");`;
    execFileSync(process.execPath, ["-e", script], { cwd: workspace });
    await status(window, "2 files to review").waitFor();
    // On a busy machine, VS Code can miss a write to an open file until the file is opened again.
    await window.openFile("cart.ts");
    await offered(page, "Change 1 of 2, +1 −1, by another program", "Undo").click();
    const kept = written.replace("0.00", "0");
    await becomes(cart, kept);
    await window.screenshot("all-changes");
    await window.run("Symposium: Keep All Changes in File");
    await status(window, "1 file to review").waitFor();
    await window.reload();
    // While the window still fills its status bar, its entries move under a pointer.
    await status(window, "1 file to review").locator("a").press("Enter");
    const row = page.locator(".quick-input-list .monaco-list-row", { hasText: "tax.ts" });
    await row.hover();
    await window.screenshot("all-changes-list");
    await row.locator('[aria-label="Undo"]').click();
    await status(window, "0 files to review").waitFor();
    await disappears(tax);
    await page.keyboard.press("Escape");

    const chat = await ChatView.open(window);
    await chat.choose("Scripted");
    const other = join(stage().code.folder.workspace, "other.ts");
    await writeFile(other, before);
    await chat.send(`terminal cp ${other} ${cart}\necho written\nwait_for_cancel`);
    await chat.answers.filter({ hasText: "written" }).waitFor();
    assert.equal(await readFile(cart, "utf8"), before);
    const hosts = await stage().code.processes(/--type=extensionHost/);
    assert.notEqual(hosts.length, 0);
    for (const pid of hosts) kill(pid);
    await window.openFile("cart.ts");
    await lens(page, "Change 1 of").waitFor();
    await window.run("Symposium: Undo All Changes in File");
    await becomes(cart, kept);
    // The editor reports that this test killed the extension host.
    const reported = window.errors.splice(0);
    assert.deepEqual(
      reported.filter((text) => !text.includes("terminated unexpectedly")),
      [],
    );
  });
});
