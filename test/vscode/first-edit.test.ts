import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { conductorWords } from "../support/conductor-command.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import { until } from "../support/until.js";
import { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const run = promisify(execFile);

describe("a user's first edits with an agent", () => {
  const stack = new AsyncDisposableStack();
  let answersFile: string;
  let logFile: string;
  before(async () => {
    const folder = stack.use(await createRunFolder("first-edit"));
    [answersFile, logFile] = [join(folder.workspace, "answers.json"), join(folder.workspace, "log.jsonl")];
    await writeFile(logFile, "");
  });
  const stage = useVsCode(newestVsCode, () => {
    const program = join(repositoryRoot, "test", "dist", "support", "programs", "answering-agent.js");
    const answering = {
      name: "Answering",
      command: "node",
      args: [program, answersFile, logFile],
      env: { PATH: pathWith() },
    };
    const scripted = scriptedAgent();
    const agents = scripted["symposium.agents"] as Readonly<Record<string, object>>;
    return {
      settings: {
        ...scripted,
        "symposium.agents": { ...agents, answering },
        "symposium.currentAgentId": "answering",
        "files.autoSave": "off",
      },
    };
  });
  after(() => stack.disposeAsync());

  /** Lets the agent answer prompts that have that text. */
  const answers = (when: string, answer?: string, asks = false): Promise<void> =>
    writeFile(answersFile, JSON.stringify([{ when, answer, asks }]));
  const log = async (): Promise<readonly Record<string, unknown>[]> =>
    (await readFile(logFile, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  /** The repository with a change in a file, and a new file that nobody has added. */
  async function repository(): Promise<{
    readonly workspace: string;
    readonly git: (...words: string[]) => Promise<unknown>;
  }> {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "shop-"));
    const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
    const git = (...words: string[]) => run("git", [...identity, ...words], { cwd: workspace });
    await git("init", "--quiet", "--initial-branch=main");
    await writeFile(join(workspace, "cart.ts"), "export const total = 1;\nexport const discount = 0;\n");
    await git("add", ".");
    await git("commit", "--quiet", "--message", "Add a cart");
    await writeFile(join(workspace, "cart.ts"), "export const total = 2;\nexport const discount = 0;\n");
    await writeFile(join(workspace, "notes.txt"), "hunter2\n");
    return { workspace, git };
  }
  const message = async (window: VsCodeWindow): Promise<string> =>
    (await window.page.locator(".scm-editor .view-lines").innerText()).replaceAll("\u00a0", " ");
  /** A notification, which may be out of sight already. */
  async function notification(window: VsCodeWindow, text: string): Promise<Locator> {
    const item = window.page.locator(".notification-list-item", { hasText: text }).first();
    const isShown = (): Promise<boolean> =>
      item.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
    await until(
      async () => (await isShown()) || (await window.run("Notifications: Show Notifications"), isShown()),
      (is) => is,
    );
    return item;
  }

  it("go from the walkthrough over the keyboard and a hidden panel to an answer that is remembered", async () => {
    const { home, root } = stage().code.folder;
    const window = await stage().openWindow();
    const { page } = window;
    await window.run("Symposium: Get Started");
    await page.getByRole("button", { name: "Choose an Agent", exact: true }).click();
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "Eliza" }).waitFor();
    await window.screenshot("walkthrough");
    await page.keyboard.press("Escape");

    const chat = await ChatView.open(window);
    await chat.choose("Scripted");
    await page.keyboard.type("permission allow");
    await page.keyboard.press("Enter");
    await chat.answerByKey("3");
    await chat.ends.waitFor();
    await chat.send("permission reject");
    await chat.permission.getByRole("button", { name: "Not now" }).waitFor();
    await chat.hide();
    await chat.entry.locator(".badge-content", { hasText: "1" }).waitFor();
    await chat.show();
    await chat.permission.getByRole("button", { name: "Not now" }).click();
    await chat.ends.nth(1).waitFor();

    const outside = join(root, "outside.txt");
    await chat.send(`permission allow ${outside}`);
    await chat.permission.getByRole("button", { name: "Remember in Symposium" }).click();
    await chat.permission.getByRole("option", { name: "Allow always" }).click();
    await chat.ends.nth(2).waitFor();
    const text = await until(
      () => readFile(join(home, ".symposium", "guard.jsonc"), "utf8").catch(() => ""),
      (found) => found !== "",
    );
    const { rules } = JSON.parse(text) as { rules: readonly Record<string, unknown>[] };
    const { agent: _agent, ...rule } = rules[0] ?? {};
    assert.deepEqual([rules.length, rule], [1, { effect: "allow", write: outside, exact: true, kind: "edit" }]);
    // The guard answers the agent's question, and the editor its own about a file outside of the workspace.
    await chat.ask(`permission allow ${outside}`);
    await chat.ask(`fs nothing.txt ${outside}`);
    assert.equal(await readFile(outside, "utf8"), "NOTHING WAS READ");
    assert.equal(await chat.page.locator("symposium-notice").count(), 0);
  });

  it("write and review a commit, edit lines in place, and follow links", async () => {
    const { workspace, git } = await repository();
    const cart = join(workspace, "cart.ts");
    const changed = await readFile(cart, "utf8");
    const chat = await stage().openChat({ workspace });
    const { window } = chat;
    const { page } = window;
    await window.run("Source Control: Focus on Changes View");
    const write = page
      .locator(".scm-view, .pane-header, .title-actions")
      .locator('[aria-label^="Write Commit Message"]');
    await answers("commit message", "```\nCount the total\n\nIt was one.\n```", true);
    await write.first().click();
    await until(
      () => message(window),
      (text) => text.includes("Count the total"),
    );
    await window.screenshot("commit-message");
    const [asked] = await log();
    const prompt = String(asked?.["prompt"]);
    assert.match(prompt, /- Add a cart[^]*All changes; nothing is staged:[^]*\+export const total = 2;[^]*notes\.txt/);
    assert.doesNotMatch(prompt, /hunter2/);
    assert.deepEqual(asked?.["permission"], { outcome: "selected", optionId: "no" });

    await git("add", "notes.txt");
    await answers("The staged changes", "Note it");
    await until(
      async () => (
        await git("status", "--porcelain"),
        page.locator(".scm-view .resource-group", { hasText: "Staged" }).count()
      ),
      (count) => count > 0,
    );
    await window.run("Symposium: Write Commit Message");
    await (
      await notification(window, "The commit message replaced the text that you had written")
    )
      .getByText("Put Back")
      .click();
    await until(
      () => message(window),
      (text) => text.includes("Count the total"),
    );
    assert.match(String((await log()).at(-1)?.["prompt"]), /\+hunter2/);

    await answers("commit message");
    await window.run("Symposium: Write Commit Message");
    await (await notification(window, "Answering is writing a commit message")).getByText("Cancel").click();
    await until(log, (lines) => lines.at(-1)?.["cancelled"] === true);
    assert.match(await message(window), /Count the total/);
    await git("reset", "--quiet");

    await answers(
      "Review these changes",
      "Two things.\n\n- `cart.ts:1`: the total counts nothing\n- gone.ts:3: not there",
    );
    await window.run("Symposium: Review These Changes");
    await chat.answers.filter({ hasText: "Two things" }).waitFor();
    await (await notification(window, "1 finding, shown as comments")).getByText("Show Comments").click();
    await page.locator(".comments-panel .monaco-list-row", { hasText: "the total counts nothing" }).click();
    await page.locator(".review-widget .review-comment", { hasText: "the total counts nothing" }).waitFor();
    await window.screenshot("review-findings");
    // It moves with its line, whoever changes the file, and back again.
    const panel = page.locator(".comments-panel");
    await panel.getByText("[Ln 1]").waitFor();
    await writeFile(cart, `// What a cart costs.\n${changed}`);
    await panel.getByText("[Ln 2]").waitFor();
    await window.screenshot("review-findings-moved");
    await writeFile(cart, changed);
    await panel.getByText("[Ln 1]").waitFor();
    await window.run("Symposium: Dismiss All Findings");
    await page.locator(".review-widget .review-comment").waitFor({ state: "detached" });
    assert.equal(await readFile(cart, "utf8"), changed);

    await window.openFile("cart.ts");
    const lens = (title: string) => page.locator(".codelens-decoration a", { hasText: title });
    const text = (): Promise<string> => page.locator(".editor-group-container.active .view-lines").innerText();
    const edit = async (): Promise<void> => {
      await page.locator(".editor-group-container.active .view-line").first().click();
      await page.keyboard.press("Control+Alt+H");
      await page.locator(".quick-input-title", { hasText: "Edit Line 1" }).waitFor();
      await page.keyboard.type("Count twice.");
      await page.keyboard.press("Enter");
      await lens("Change 1 of 1, +1 −0").waitFor();
    };
    await answers("Count twice.", "```ts\nexport const total = 2;\nexport const twice = total * 2;\n```");
    await edit();
    await window.screenshot("edit-here");
    assert.match(String((await log()).at(-1)?.["prompt"]), /Change line 1 of the file cart\.ts as the user wishes:/);
    await lens("Undo").click();
    await lens("Undo").waitFor({ state: "detached" });
    assert.doesNotMatch(await until(text, (shown) => !shown.includes("twice")), /twice/);

    await edit();
    await lens("Keep").click();
    await lens("Keep").waitFor({ state: "detached" });
    assert.match(await until(text, (shown) => shown.includes("twice")), /twice/);
    assert.equal(await readFile(cart, "utf8"), changed);
    await window.run("File: Save");
    await until(
      () => readFile(cart, "utf8"),
      (saved) => saved === "export const total = 2;\nexport const twice = total * 2;\nexport const discount = 0;\n",
    );

    const dialog = page.locator(".monaco-dialog-box");
    const open = async (path: string): Promise<void> => {
      await window.run("Developer: Open URL");
      const address = window.quickInput("URL to open");
      await address.fill(`vscode://symposium-dev.symposium/${path}`);
      await address.press("Enter");
      // The editor's own question comes first.
      await dialog.getByRole("button", { name: "Open", exact: true }).click();
    };
    await open(`prompt?text=${encodeURIComponent("Say\u202e hello & goodbye")}`);
    await dialog.filter({ hasText: "Say‹U+202E› hello & goodbye" }).waitFor();
    await window.screenshot("link-prompt");
    await dialog.getByRole("button", { name: "Add to Chat" }).click();
    await until(
      () => chat.prompt.inputValue(),
      (value) => value === "Say‹U+202E› hello & goodbye",
    );
    assert.equal(await chat.prompts.count(), 0);
    assert.equal(await chat.tabs.count(), 2);

    await open("frob");
    await notification(window, 'path "/frob" is unknown');
    await answers("quince", "It is yellow.");
    await chat.ask("What colour is a quince?");
    const { env } = stage().code.folder;
    const [program, ...words] = [...conductorWords, "sessions", "list", "--cwd", workspace, "--json"];
    const { stdout } = await run(program, words, { cwd: workspace, env: { ...process.env, ...env } });
    const [{ id } = { id: "" }] = JSON.parse(stdout) as readonly { readonly id: string }[];
    await chat.newTab();
    await open(`session?id=${encodeURIComponent(id)}`);
    await dialog.filter({ hasText: "A link wants to open a conversation" }).filter({ hasText: "quince" }).waitFor();
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await chat.answers.filter({ hasText: "It is yellow." }).waitFor();

    // The commands report a disabled Git extension.
    await mkdir(join(workspace, ".vscode"));
    await writeFile(join(workspace, ".vscode", "settings.json"), '{ "git.enabled": false }');
    await window.reload();
    await window.run("Symposium: Write Commit Message");
    await notification(window, "Git extension, which is missing or disabled");
  });
});
