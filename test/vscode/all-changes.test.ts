import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/until.js";
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

function lens(page: Page, words: string | RegExp): Locator {
  return page.locator(".codelens-decoration a", { hasText: words });
}

/** What is offered for a change, which is found by its words: the editor makes the lenses anew in any order. */
function offered(page: Page, change: string, words: string): Locator {
  return page.locator(".codelens-decoration", { hasText: change }).locator("a", { hasText: words });
}

function statusOf({ page }: VsCodeWindow, words: string): Locator {
  return page.locator(".statusbar-item", { hasText: words });
}

/** Another program, which is no agent of ours, in a folder. */
function runs(folder: string, script: string): void {
  execFileSync(process.execPath, ["-e", `const fs = require("fs"); ${script}`], { cwd: folder });
}

/** Ends a process; that of a window that was closed a moment ago may be gone already. */
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

describe("the review of all changes in a window", () => {
  const stage = useVsCode(newestVsCode, { settings: { ...scriptedAgent(), "files.autoSave": "off" } });

  async function folderWithCart(): Promise<string> {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "all-"));
    await writeFile(join(workspace, "cart.ts"), before);
    return workspace;
  }

  /** A window in which the mode is on. */
  async function reviewed(workspace: string): Promise<VsCodeWindow> {
    const window = await stage().openWindow({ workspace });
    await window.run("Symposium: Review All Changes, On or Off");
    await statusOf(window, "0 files to review").waitFor();
    return window;
  }

  it("marks what another program writes in a folder without git, to be undone and kept, and goes on after a reload", async () => {
    const workspace = await folderWithCart();
    const window = await reviewed(workspace);
    runs(workspace, `fs.writeFileSync("cart.ts", ${JSON.stringify(after)}); fs.writeFileSync("tax.ts", "tax\\n");`);
    await statusOf(window, "2 files to review").waitFor();
    await window.openFile("cart.ts");
    await lens(window.page, "Change 1 of 2, +1 −1, by another program").waitFor();
    await window.useTheme("light");
    await window.screenshot("all-changes");
    await offered(window.page, "Change 1 of 2", "Undo").click();
    await lens(window.page, "Change 1 of 1").waitFor();
    // The marks go with the document, a moment before the file is saved.
    const undone = await until(
      () => readFile(join(workspace, "cart.ts"), "utf8"),
      (text) => text === before.replace("==", "==="),
    );
    assert.equal(undone, before.replace("==", "==="));
    await offered(window.page, "Change 1 of 1", "Keep").click();
    await statusOf(window, "1 file to review").waitFor();
    await window.reload();
    // While the window still fills its status bar, what is there moves under a pointer.
    await statusOf(window, "1 file to review").locator("a").press("Enter");
    const row = window.page.locator(".quick-input-list .monaco-list-row", { hasText: "tax.ts" });
    await row.waitFor();
    await window.screenshot("all-changes-list");
    await row.hover();
    await row.locator('[aria-label="Undo"]').click();
    await statusOf(window, "0 files to review").waitFor();
    // The count goes with the marks, a moment before the file.
    const isThere = await until(
      () => existsSync(join(workspace, "tax.ts")),
      (exists) => !exists,
    );
    assert.equal(isThere, false);
    assert.equal(await readFile(join(workspace, "cart.ts"), "utf8"), before.replace("==", "==="));
  });

  it("says what a git checkout brought, and leaves out what the user types", async () => {
    const workspace = await folderWithCart();
    git(workspace, "init", "--quiet", "--initial-branch=main");
    git(workspace, "add", ".");
    git(workspace, "commit", "--quiet", "--message", "first");
    git(workspace, "checkout", "--quiet", "-b", "other");
    await writeFile(join(workspace, "cart.ts"), after);
    git(workspace, "commit", "--quiet", "--all", "--message", "other");
    git(workspace, "checkout", "--quiet", "main");
    const window = await reviewed(workspace);
    git(workspace, "checkout", "--quiet", "other");
    await statusOf(window, "1 file to review").waitFor();
    await window.openFile("cart.ts");
    await lens(window.page, "Change 1 of 2, +1 −1, by git checkout").waitFor();
    await window.page.keyboard.press("Control+End");
    await window.page.keyboard.type("// mine");
    await window.page.locator(".tab.active.dirty").waitFor();
    await window.page.keyboard.press("Control+S");
    await window.page.locator(".tab.active.dirty").waitFor({ state: "detached" });
    const saved = await until(
      () => readFile(join(workspace, "cart.ts"), "utf8"),
      (now) => now === `${after}// mine`,
    );
    assert.equal(saved, `${after}// mine`);
    // The editor makes the marks anew for what was typed.
    const marks = await until(
      () => lens(window.page, "Change").count(),
      (count) => count === 2,
    );
    assert.equal(marks, 2);
    await window.run("Symposium: Undo All Changes");
    await statusOf(window, "0 files to review").waitFor();
    // The editor empties the file before it writes it.
    const text = await until(
      () => readFile(join(workspace, "cart.ts"), "utf8"),
      (now) => now === `${before}// mine`,
    );
    assert.equal(text, `${before}// mine`);
  });

  it("has what an agent's command wrote when the extension host is killed before the turn's end", async () => {
    const workspace = await folderWithCart();
    const [cart, other] = [join(workspace, "cart.ts"), join(stage().code.folder.workspace, "other.ts")];
    await writeFile(other, after);
    const chat = await stage().openChat({ workspace });
    await chat.choose("Scripted");
    await chat.send(`terminal cp ${other} ${cart}\necho written\nwait_for_cancel`);
    await chat.answers.filter({ hasText: "written" }).waitFor();
    assert.equal(await readFile(cart, "utf8"), after);
    const hosts = await stage().code.processes(/--type=extensionHost/);
    assert.equal(hosts.length > 0, true);
    for (const pid of hosts) kill(pid);
    await chat.window.openFile("cart.ts");
    await lens(chat.window.page, "Change 1 of 2").waitFor();
    await chat.window.run("Symposium: Undo All Changes in File");
    const undone = await until(
      () => readFile(cart, "utf8"),
      (text) => text === before,
    );
    assert.equal(undone, before);
    // The editor's own report of what this test did.
    const reported = chat.window.errors.splice(0);
    assert.deepEqual(
      reported.filter((text) => !text.includes("terminated unexpectedly")),
      [],
    );
  });
});
