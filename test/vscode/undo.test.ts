import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { appendFile, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { until } from "../support/until.js";
import type { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("undo in the bar of changed files", () => {
  const stage = useVsCode(newestVsCode, { settings: { ...scriptedAgent(), "files.autoSave": "off" } });

  interface Changed {
    readonly chat: ChatView;
    /** A file that the agent edited, and one that it made. */
    readonly cart: string;
    readonly tax: string;
  }

  /** A chat whose agent has changed the second line of `cart.ts` and made `tax.ts`. */
  async function afterChanges(): Promise<Changed> {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "files-"));
    const [cart, tax] = [join(workspace, "cart.ts"), join(workspace, "tax.ts")];
    const [newCart, newTax] = [join(workspace, "new-cart.txt"), join(workspace, "new-tax.txt")];
    await writeFile(cart, "ONE\nTWO\nTHREE\nFOUR\n");
    await writeFile(newCart, "one\nzwei\nthree\nfour\n");
    await writeFile(newTax, "tax of the agent\n");
    const chat = await stage().openChat({ workspace });
    await chat.choose("Scripted");
    await chat.ask(`fs ${newCart} ${cart}\nfs ${newTax} ${tax}`);
    await chat.page.getByText("2 files changed").waitFor();
    return { chat, cart, tax };
  }

  function undoAll(chat: ChatView): Promise<void> {
    return chat.page.getByTitle("Undo all changes").click();
  }

  function refusal(chat: ChatView): Locator {
    return chat.window.page.locator(".monaco-dialog-box", { hasText: "Left as it is" });
  }

  it("takes back what the agent wrote where nobody else wrote", async () => {
    const { chat, cart, tax } = await afterChanges();
    await undoAll(chat);
    await chat.page.locator("symposium-changed-files .changed-files").waitFor({ state: "detached" });
    // The bar goes with the marks, a moment before the files.
    const undone = await until(
      () => readFile(cart, "utf8"),
      (text) => text === "ONE\nTWO\nTHREE\nFOUR\n",
    );
    assert.equal(undone, "ONE\nTWO\nTHREE\nFOUR\n");
    await until(
      () => existsSync(tax),
      (exists) => !exists,
    );
    assert.equal(existsSync(tax), false);
  });

  it("keeps lines that another program wrote besides, and shows what it cannot tell apart", async () => {
    const { chat, cart, tax } = await afterChanges();
    await appendFile(cart, "mine\n");
    await appendFile(tax, "mine\n");
    await undoAll(chat);
    await refusal(chat).waitFor();
    const wanted = "ONE\nTWO\nTHREE\nFOUR\nmine\n";
    const undone = await until(
      () => readFile(cart, "utf8"),
      (text) => text === wanted,
    );
    assert.deepEqual([undone, await readFile(tax, "utf8")], [wanted, "TAX OF THE AGENT\nmine\n"]);
    assert.match(await refusal(chat).innerText(), /"tax\.ts" hold lines that the agent did not write/);
    await chat.window.screenshot("undo-refused");
    await refusal(chat).locator(".monaco-button", { hasText: "Show Differences" }).click();
    await chat.window.page.locator(".tab.active", { hasText: "as the agent wrote it" }).waitFor();
    await chat.window.page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    await chat.window.screenshot("undo-refused-differences");
    await chat.page.getByText("1 file changed").waitFor();
  });

  it("brings a prompt's files back around lines that another program wrote", async () => {
    const { chat, cart, tax } = await afterChanges();
    await appendFile(cart, "mine\n");
    await appendFile(tax, "mine\n");
    await chat.page.getByRole("button", { name: "Restore files" }).click();
    const dialog = chat.window.page.locator(".monaco-dialog-box");
    assert.match(await dialog.innerText(), /cannot be told apart and stays: tax\.ts/);
    await dialog.locator(".monaco-button", { hasText: /^Restore/ }).click();
    const restored = await until(
      () => readFile(cart, "utf8"),
      (text) => text === "ONE\nTWO\nTHREE\nFOUR\nmine\n",
    );
    const left = await readFile(tax, "utf8");
    assert.deepEqual([restored, left], ["ONE\nTWO\nTHREE\nFOUR\nmine\n", "TAX OF THE AGENT\nmine\n"]);
  });

  it("lists what a command changed in a folder without a repository, and goes back behind it with the conversation", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "command-"));
    const [cart, other] = [join(workspace, "cart.ts"), join(workspace, "other.ts")];
    await writeFile(cart, "one\r\ntwo\r\n");
    await writeFile(other, "other\n");
    const chat = await stage().openChat({ workspace });
    await chat.choose("Scripted");
    await chat.ask(`terminal cp ${other} ${cart}`);
    await chat.page.getByText("1 file changed").waitFor();
    assert.equal(await readFile(cart, "utf8"), "other\n");
    await chat.page.getByRole("button", { name: "Restore files" }).click();
    const dialog = chat.window.page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    await chat.window.screenshot("go-back-dialog");
    await dialog.locator(".monaco-button", { hasText: "Files and Conversation" }).click();
    const back = await until(
      () => readFile(cart, "utf8"),
      (text) => text === "one\r\ntwo\r\n",
    );
    assert.equal(back, "one\r\ntwo\r\n");
    await chat.tabs.nth(1).waitFor();
    const prompt = await until(
      () => chat.prompt.inputValue(),
      (text) => text === `terminal cp ${other} ${cart}`,
    );
    await chat.window.screenshot("gone-back");
    assert.deepEqual([prompt, await chat.tabs.count()], [`terminal cp ${other} ${cart}`, 2]);
  });

  it("refuses where a file has unsaved words and others on disk, and leaves both", async () => {
    const { chat, cart, tax } = await afterChanges();
    await chat.window.openFile("cart.ts");
    await chat.window.page.keyboard.type("unsaved ");
    await chat.window.page.locator(".tab.active.dirty").waitFor();
    await appendFile(cart, "mine\n");
    await undoAll(chat);
    await refusal(chat).waitFor();
    assert.match(await refusal(chat).innerText(), /"cart\.ts" has unsaved changes here and other ones on disk/);
    assert.equal(await readFile(cart, "utf8"), "ONE\nZWEI\nTHREE\nFOUR\nmine\n");
    assert.equal(await chat.window.page.locator(".tab.active.dirty").count(), 1);
    await assert.rejects(readFile(tax), { code: "ENOENT" });
  });
});
