import assert from "node:assert/strict";
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
    await chat.answers.waitFor();
    assert.equal(await chat.answers.innerText(), "without a click");
  });

  it("takes an image along, which shows in the transcript", async () => {
    const chat = await stage().openTab("Scripted");
    const image = { name: "pixel.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") };
    await chat.page.getByLabel("Files to attach").setInputFiles(image);
    await chat.page.locator("symposium-composer .chip", { hasText: "pixel.png" }).waitFor();
    await chat.ask("echo seen");
    assert.equal(await chat.page.locator("symposium-user img").count(), 1);
    assert.equal(await chat.page.locator("symposium-composer .chip").count(), 0);
  });

  it("completes the agent's commands, and says what goes behind them", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("updates");
    await chat.prompt.pressSequentially("/ec");
    await chat.page.getByRole("option", { name: /\/echo/ }).waitFor();
    await chat.prompt.press("Tab");
    await chat.page.locator("#prompt-hint", { hasText: "text" }).waitFor();
    assert.equal(await chat.prompt.inputValue(), "/echo ");
  });

  it("comes back with the Up key", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("echo again and again");
    await chat.prompt.press("ArrowUp");
    assert.equal(await chat.prompt.inputValue(), "echo again and again");
  });
});

describe("an answer that the user wants remembered", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

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
});
