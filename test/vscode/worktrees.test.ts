import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathWith } from "../support/repository.js";
import { agentWords } from "../support/scripted-programs.js";
import { until } from "../support/until.js";
import type { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { themeNames } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const numbers = ["one", "two", "three", "four", "five", "six", "seven"];
const cartText = (replaced: Readonly<Record<number, string>> = {}): string =>
  numbers.map((line, index) => `${replaced[index] ?? line}\n`).join("");

/** An agent of the settings; two of them have processes of their own. */
function scripted(name: string): object {
  const [command = "", ...args] = agentWords();
  return { name, command, args, env: { PATH: pathWith() } };
}

/** Runs in the page: counts the removed lines that can be read behind others. */
const struckLines = `[...document.querySelectorAll(".view-line span")]
  .map((span) => getComputedStyle(span, "::after"))
  .filter(({ textDecorationLine, color }) => textDecorationLine === "line-through" && !color.endsWith(", 0)")).length`;

describe("worktrees of chats", () => {
  const stage = useVsCode(newestVsCode, {
    settings: {
      ...scriptedAgent(),
      "symposium.agents": { scripted: scripted("Scripted"), second: scripted("Second") },
      "symposium.worktree.setUp": "cp set-up.txt set-up-done.txt",
      "files.autoSave": "off",
    },
  });

  function git(folder: string, ...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
  }

  /** A repository whose agents are told, by a prompt, to put `theirs.txt` in the place of `cart.ts`. */
  async function repository(theirs: string): Promise<string> {
    const top = join(await mkdtemp(join(stage().code.folder.workspace, "worktrees-")), "shop");
    await mkdir(top);
    git(top, "init", "--quiet", "--initial-branch=main");
    const files = {
      "cart.ts": cartText(),
      "theirs.txt": theirs,
      "set-up.txt": "done\n",
      ".gitignore": "set-up-done.txt\n",
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(top, name), text);
    git(top, "add", "--all");
    const identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"];
    git(top, ...identity, "commit", "--quiet", "--message", "first");
    return top;
  }

  /** `isDirty`: the main tree has changes, which the worktree then begins without. */
  async function openInWorktree(chat: ChatView, name: string, isDirty = false): Promise<void> {
    await chat.page.getByRole("button", { name: /^More: agents/ }).click();
    await chat.page.getByRole("menuitem", { name: "New tab in a worktree…" }).click();
    const input = chat.window.quickInput("New Chat in a Worktree");
    await input.fill(name);
    await input.press("Enter");
    if (isDirty) await button(chat, "Start from the Last Commit").click();
    await chat.page.locator(".worktree-name", { hasText: name }).waitFor();
    await chat.prompt.waitFor();
  }

  async function openFromExplorer({ window: { page } }: ChatView, name: string): Promise<void> {
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).dblclick();
    await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  }

  /** Link that answers the change labelled `change`, above its first line. */
  const answer = ({ window: { page } }: ChatView, change: string, text: "Keep" | "Undo") =>
    page.locator(".contentWidgets .codelens-decoration", { hasText: change }).locator("a", { hasText: text });

  async function becomes(file: string, wanted: string): Promise<void> {
    const text = await until(
      () => readFile(file, "utf8").catch(() => undefined),
      (now) => now === wanted,
    );
    assert.equal(text, wanted);
  }

  const button = (chat: ChatView, text: string | RegExp) =>
    chat.window.page.locator(".monaco-dialog-box .monaco-button", { hasText: text });

  it("begin with what is committed, are merged by hunks after a question, outlive a reload, and are removed", async () => {
    const top = await repository(cartText({ 0: "ONE", 3: "theirs", 6: "SEVEN" }));
    const chat = await stage().openChat({ workspace: top });
    await chat.choose("Scripted");
    await openInWorktree(chat, "fix-the-cart");
    const root = join(top, "..", "shop.worktrees", "fix-the-cart");
    await chat.ask("terminal cp theirs.txt cart.ts");
    assert.equal(await readFile(join(root, "set-up-done.txt"), "utf8"), "done\n");
    assert.equal(await readFile(join(root, "cart.ts"), "utf8"), cartText({ 0: "ONE", 3: "theirs", 6: "SEVEN" }));
    assert.equal(await readFile(join(top, "cart.ts"), "utf8"), cartText());
    // The workspace's trust reaches it.
    const vouched = /--trusted-folder.*shop\.worktrees.fix-the-cart/;
    assert.notEqual((await stage().code.processes(vouched)).length, 0);
    await writeFile(join(top, "cart.ts"), cartText({ 3: "mine" }));
    await chat.window.screenshot("worktree-chat");

    // Files that change behind the question are asked about again, and nothing is merged while the agent works.
    const merge = chat.page.getByRole("button", { name: "Merge…" });
    const dialog = (text: string) => chat.window.page.locator(".monaco-dialog-box", { hasText: text });
    await merge.click();
    await button(chat, "Merge for Review").waitFor();
    await chat.window.screenshot("worktree-merge-question");
    await writeFile(join(root, "late.txt"), "by another program\n");
    await button(chat, "Merge for Review").click();
    const again = dialog("changed while this dialog was open");
    await again.filter({ hasText: "late.txt" }).waitFor();
    await chat.window.screenshot("worktree-merge-asked-again");
    // Behind the dialog, as a prompt that was on its way.
    await chat.page.locator("symposium-prompt-field textarea").fill("echo begun\nwait_for_cancel");
    await chat.page.getByRole("button", { name: /^Send/ }).dispatchEvent("click");
    await chat.answers.filter({ hasText: "begun" }).waitFor();
    await again.locator(".monaco-button", { hasText: "Merge for Review" }).click();
    await dialog("Stop it, then merge").locator(".monaco-button").first().click();
    assert.equal(await readFile(join(top, "cart.ts"), "utf8"), cartText({ 3: "mine" }));
    assert.equal(existsSync(join(top, "late.txt")), false);
    await chat.stop();
    await merge.click();
    await button(chat, "Merge for Review").click();
    await becomes(join(top, "cart.ts"), cartText({ 0: "ONE", 3: "mine", 6: "SEVEN" }));
    // The differences open last, and have the focus then.
    await chat.window.page.locator(".tab.active", { hasText: "Changes to Review" }).waitFor();
    const { page } = chat.window;
    await page.locator(".monaco-diff-editor .line-delete").first().waitFor();
    // A diff shows removed lines itself.
    assert.equal(await page.evaluate(struckLines), 0);
    await chat.window.openFile("cart.ts");
    const lens = (text: string) =>
      chat.window.page.locator(".contentWidgets .codelens-decoration a", { hasText: text });
    await lens("Use Worktree Version").waitFor();
    await lens("Change 2 of 2").waitFor();
    await chat.window.screenshot("worktree-merged");
    for (const theme of themeNames) {
      await chat.window.useTheme(theme);
      assert.equal(await page.evaluate(struckLines), 2, theme);
    }
    // Unanswered changes are marked after a reload as well.
    await chat.reload();
    await chat.page.locator(".worktree-name", { hasText: "fix-the-cart" }).waitFor();
    await chat.ask("echo after the reload");
    await openFromExplorer(chat, "cart.ts");
    await lens("Use Worktree Version").waitFor();
    await lens("Change 2 of 2").waitFor();
    await answer(chat, "Change 1 of 2", "Keep").click();
    await answer(chat, "Change 1 of 1", "Undo").click();
    await becomes(join(top, "cart.ts"), cartText({ 0: "ONE", 3: "mine" }));
    await lens("Change 1 of 1").waitFor({ state: "detached" });
    // Marks and lenses stay together in a file with unsaved text.
    await page.locator(".monaco-editor .view-line", { hasText: "mine" }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("unsaved");
    await lens("Use Worktree Version").click();
    await lens("Change 1 of 1").waitFor();
    await page.locator('.view-overlays .cdr[class*="TextEditorDecorationType"]').first().waitFor();
    await page.keyboard.press("Control+s");
    await becomes(join(top, "cart.ts"), `${cartText({ 0: "ONE", 3: "theirs" })}unsaved`);

    await chat.page.getByRole("button", { name: "Remove the worktree" }).click();
    await button(chat, "Remove Worktree and Branch").waitFor();
    await chat.window.screenshot("worktree-removal-question");
    await button(chat, "Remove Worktree and Branch").click();
    await chat.page.locator(".worktree-name").waitFor({ state: "detached" });
    const isLeft = await until(
      () => Promise.resolve(existsSync(root)),
      (exists) => !exists,
    );
    // The branch goes after the folder.
    const left = await until(
      () => Promise.resolve(git(top, "branch", "--list", "symposium/*")),
      (branches) => branches === "",
    );
    assert.deepEqual([isLeft, left], [false, ""]);

    // A tab reports that somebody else removed its worktree.
    await openInWorktree(chat, "gone", true);
    await chat.ask("echo before");
    git(top, "worktree", "remove", "--force", join(top, "..", "shop.worktrees", "gone"));
    await chat.reload();
    const gone = chat.page.locator("symposium-notice", { hasText: "no longer exists" });
    // Its remedy is not repeated.
    await gone.getByText("Its commits are in the branch").first().waitFor();
    assert.equal((await gone.first().innerText()).split("Its commits are in the branch").length, 2);
  });

  it("take one prompt to two agents, whose results stand side by side: one is merged by hunks, the other removed", async () => {
    const top = await repository(cartText({ 0: "ONE", 6: "SEVEN" }));
    const chat = await stage().openChat({ workspace: top });
    const { page } = chat.window;
    await chat.window.run("Symposium: Compare Agents on a Prompt");
    const input = chat.window.quickInput("Compare Agents on a Prompt");
    await input.fill("terminal cp theirs.txt cart.ts");
    await input.press("Enter");
    await page.locator(".quick-input-title", { hasText: "Which Agents?" }).waitFor();
    for (const name of ["Scripted", "Second"])
      await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().click();
    await page.locator(".quick-input-action", { hasText: "OK" }).click();
    // The chat's page came first.
    const results = chat.window.webview("symposium-dev.symposium", 1);
    const result = (name: string) => results.locator("section", { hasText: name });
    for (const name of ["Scripted", "Second"]) await result(name).getByText("1 file changed, +2 −2").waitFor();
    await chat.window.screenshot("compared-results");
    // Files in both worktrees aren't lost when one worktree is removed.
    const [first, second] = ["scripted", "second"].map((id) =>
      join(top, "..", "shop.worktrees", `${id}-terminal-cp-theirs-txt-cart-ts`),
    );
    assert.ok(first !== undefined && second !== undefined);
    await writeFile(join(first, "more.ts"), "more\n");
    await writeFile(join(second, "marked.ts"), "\uFEFFmarked\n");
    await writeFile(join(second, "set-up.txt"), "changed\n");
    await rm(join(top, "set-up.txt"));
    await result("Second").getByRole("button", { name: "Show the changes in cart.ts" }).click();
    await page.locator(".tab.active", { hasText: "cart.ts (Second)" }).waitFor();
    await page.locator(".monaco-diff-editor .char-insert, .monaco-diff-editor .line-insert").first().waitFor();
    await chat.window.screenshot("compared-difference");
    await chat.window.run("View: Close Editor");
    // One answer merges and removes. A file that one side deleted asks another question and keeps the merged worktree.
    await result("Second").getByRole("button", { name: "Keep the result of Second" }).click();
    await button(chat, "Merge, Remove Worktree").waitFor();
    await chat.window.screenshot("compared-keep-question");
    await button(chat, "Merge, Remove Worktree").click();
    await button(chat, "Use Worktree Version").waitFor();
    assert.equal(existsSync(join(top, "set-up.txt")), false);
    await button(chat, "Use Worktree Version").click();
    await becomes(join(top, "set-up.txt"), "changed\n");
    assert.equal(await readFile(join(top, "marked.ts"), "utf8"), "\uFEFFmarked\n");
    assert.equal(await readFile(join(top, "cart.ts"), "utf8"), cartText({ 0: "ONE", 6: "SEVEN" }));
    // The new rows of the Explorer move the others.
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "set-up.txt" }).waitFor();
    // The palette has the page of results, too, whose title has the prompt.
    await openFromExplorer(chat, "cart.ts");
    await answer(chat, "Change 1 of 2", "Keep").click();
    await answer(chat, "Change 1 of 1", "Undo").click();
    await becomes(join(top, "cart.ts"), cartText({ 0: "ONE" }));
    const kept = await until(
      () => Promise.resolve(git(top, "worktree", "list").split("\n").length),
      (count) => count === 2,
    );
    assert.equal(kept, 2);

    // In a reloaded window the page of results is there again. A browser's window does not always know which tab was in front.
    await chat.window.reload();
    await page.locator(".tab", { hasText: "Compared Results: terminal cp theirs.txt cart.ts" }).click();
    const pages = [0, 1].map((index) => chat.window.webview("symposium-dev.symposium", index));
    const headings = await until(
      () => Promise.all(pages.map((one) => one.locator("main > section h2").allTextContents())),
      (shown) => shown.flat().includes("Second"),
    );
    assert.ok(headings.flat().includes("Second"), JSON.stringify(headings));
    await chat.window.screenshot("compared-results-again");
    // Without a conflict, the same answer leaves nothing behind.
    const again = pages[headings.findIndex((shown) => shown.includes("Second"))];
    await writeFile(join(second, "new.ts"), "new\n");
    git(top, "checkout", "--quiet", "--", ".");
    await again?.getByRole("button", { name: "Keep the result of Second" }).click();
    await button(chat, "Merge, Remove Worktree").click();
    await becomes(join(top, "new.ts"), "new\n");
    const branches = await until(
      () => Promise.resolve(git(top, "branch", "--list", "symposium/*")),
      (left) => left === "",
    );
    assert.deepEqual([branches, existsSync(second)], ["", false]);
    await page.locator(".tab", { hasText: "Compared Results" }).waitFor({ state: "detached" });
  });
});
