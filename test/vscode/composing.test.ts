import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../support/until.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

describe("a prompt that is written in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  it("can be written as soon as its tab is open", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.page.locator(".prompt-text:focus").waitFor();
    await chat.window.page.keyboard.type("echo without a click");
    await chat.window.page.keyboard.press("Enter");
    await chat.ends.waitFor();
    assert.deepEqual(await chat.answerTexts(), ["without a click"]);
  });

  it("takes an image along, which shows in the transcript", async () => {
    const chat = await stage().openTab("Scripted");
    const image = { name: "pixel.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") };
    await chat.page.getByLabel("Files to attach").setInputFiles(image);
    await chat.page.locator("symposium-composer .chip", { hasText: "pixel.png" }).waitFor();
    await chat.ask("echo seen");
    await chat.page.locator("symposium-user img").waitFor();
    assert.equal(await chat.page.locator("symposium-composer .chip").count(), 0);
  });

  it("completes the agent's commands, and says what goes behind them", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("updates");
    await chat.prompt.pressSequentially("/ec");
    await chat.page.getByRole("option", { name: /\/echo/, selected: true }).waitFor();
    await chat.prompt.press("Tab");
    await chat.page.locator("#prompt-hint", { hasText: "text" }).waitFor();
    assert.equal(
      await until(
        () => chat.prompt.inputValue(),
        (text) => text === "/echo ",
      ),
      "/echo ",
    );
  });

  it("comes back with the Up key", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("echo again and again");
    await chat.prompt.press("ArrowUp");
    assert.equal(
      await until(
        () => chat.prompt.inputValue(),
        (text) => text !== "",
      ),
      "echo again and again",
    );
  });
});

describe("an answer that the user wants remembered", () => {
  let root = "";
  const stage = useVsCode(newestVsCode, () => ({
    settings: scriptedAgent(),
    env: (folder) => {
      root = folder.root;
      return { SYMPOSIUM_CONFIG_DIR: join(root, "symposium") };
    },
  }));

  it("answers the same request of the session by itself", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("permission allow");
    await chat.permission.getByRole("button", { name: "Remember in Symposium" }).click();
    await chat.permission.getByRole("option", { name: "Allow in this session" }).click();
    await chat.ends.waitFor();
    await chat.ask("permission allow");
    assert.equal(await chat.permission.getByRole("button", { name: "Once" }).count(), 0);
    assert.equal(await chat.page.locator("symposium-notice").count(), 0);
  });

  it("is a rule of guard.jsonc where it is to last, which answers in other tabs and stands on the page Guard", async () => {
    const chat = await stage().openTab("Scripted");
    const files = ["inside.txt", "elsewhere.txt"].map((name) => join(root, name));
    const [first = "", second = ""] = files;
    await chat.send(`permission allow ${first}`);
    await chat.permission.getByRole("button", { name: "Remember in Symposium" }).click();
    await chat.permission.getByRole("option", { name: "Allow always" }).click();
    await chat.ends.waitFor();
    const text = await until(
      () => readFile(join(root, "symposium/guard.jsonc"), "utf8").catch(() => ""),
      (found) => found !== "",
    );
    const { rules } = JSON.parse(text) as { rules: readonly Record<string, unknown>[] };
    const { agent, ...rule } = rules[0] ?? {};
    assert.deepEqual([rules.length, rule], [1, { effect: "allow", write: first, exact: true, kind: "edit" }]);

    await chat.newTab();
    // The guard answers the agent's question, and the editor its own about a file outside of the workspace.
    await chat.ask(`permission allow ${first}`);
    await chat.ask(`fs nothing.txt ${first}`);
    assert.equal(await readFile(first, "utf8"), "NOTHING WAS READ");
    assert.equal(await chat.permission.getByRole("button", { name: "Remember in Symposium" }).count(), 0);
    await chat.send(`permission allow ${second}`);
    await chat.permission.getByRole("button", { name: "Once" }).click();
    await chat.ends.nth(2).waitFor();

    await chat.window.run("Symposium: Guard: What Agents May Do");
    const page = chat.window.webview("symposium-dev.symposium", 1);
    await page.getByText(`exactly this · calls of the kind “edit” · by ${String(agent)}`).waitFor();
    await chat.window.screenshot("remembered-answer");
  });
});
