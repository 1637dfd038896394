import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { until } from "../support/until.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

describe("two windows on one folder", () => {
  const stage = useVsCode(newestVsCode, { settings: { ...scriptedAgent(), "files.autoSave": "off" } });

  const lens = ({ page }: VsCodeWindow, words: string): Locator =>
    page.locator(".codelens-decoration a", { hasText: words });
  const status = ({ page }: VsCodeWindow, words: string): Locator =>
    page.locator(".statusbar-item", { hasText: words });

  it("each review what their own agents change, see the other's as another writer's, and leave all to the next one", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "two-"));
    const [cart, tax] = [join(workspace, "cart.txt"), join(workspace, "tax.txt")];
    for (const file of [cart, tax]) await writeFile(file, before);
    for (const number of [1, 2])
      await writeFile(join(workspace, `new-${number}.txt`), before.replace("two", `TWO ${number}`));
    const first = await stage().openChat({ workspace });
    await first.choose("Scripted");
    const second = await stage().openChat({ workspace });
    await second.choose("Scripted");
    await second.window.run("Symposium: Review All Changes, On or Off");
    await status(second.window, "0 files to review").waitFor();

    await first.ask("terminal cp new-1.txt cart.txt");
    await status(second.window, "1 file to review").waitFor();
    await second.window.openFile("cart.txt");
    await lens(second.window, "Change 1 of 1, +1 −1, by another program").waitFor();
    await second.ask("terminal cp new-2.txt tax.txt");
    await status(second.window, "2 files to review").waitFor();
    await second.window.screenshot("two-windows-second");
    await first.window.openFile("tax.txt");
    await first.window.openFile("cart.txt");
    await lens(first.window, "Change 1 of 1").waitFor();

    // What one answers, the other has no more of.
    await second.window.openFile("cart.txt");
    await lens(second.window, "Keep").first().click();
    await status(second.window, "1 file to review").waitFor();
    await lens(first.window, "Change 1 of 1").waitFor();

    for (const { window } of [second, first]) {
      // A page that is closed while it does not answer says no goodbye, and its extension host waits hours for it.
      await window.page.goto("about:blank");
      await window[Symbol.asyncDispose]();
    }
    const hosts = await until(
      () => stage().code.processes(/--type=extensionHost/),
      (running) => running.length === 0,
    );
    assert.deepEqual(hosts, []);
    const next = await stage().openWindow({ workspace });
    for (const name of ["cart.txt", "tax.txt"]) {
      await next.openFile(name);
      await lens(next, "Change 1 of 1").waitFor();
    }
    // The mode of the second one goes on here.
    await status(next, "2 files to review").waitFor();
    await next.screenshot("two-windows-next");
    await next.run("Symposium: Undo All Changes");
    for (const file of [cart, tax])
      assert.equal(
        await until(
          () => readFile(file, "utf8"),
          (text) => text === before,
        ),
        before,
      );
  });
});
